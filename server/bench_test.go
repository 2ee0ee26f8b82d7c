package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

func quiet(config *server.Config) { config.LogSampleEvery = -1 }

// The whole chain around a Go function: what the rooms cost with no upstream.
func BenchmarkCallOfAFunction(b *testing.B) {
	const tools = `
tools:
  - name: echo
    function: {}
    effect: read
    input_schema: {type: object, properties: {rows: {type: array, items: {type: object}}, id: {type: string}}, additionalProperties: false}
`
	echo := func(_ context.Context, arguments json.RawMessage) (any, error) { return arguments, nil }
	g := servertest.Start(b, servertest.Load(b, tools, nil, catalog.WithFunction("echo", echo)), quiet)
	for name, arguments := range map[string]string{
		"small": `{"id":"abc"}`,
		"16K":   `{"rows":[` + strings.Repeat(`{"a":12345,"b":"some text","c":[1,2,3]},`, 400) + `{}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Call(b, "r", "echo", arguments)
			}
		})
	}
}

// The whole gateway in front of a real HTTP server on loopback.
func BenchmarkCallOverHTTP(b *testing.B) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ok":true,"items":[1,2,3]}`)
	}))
	defer upstream.Close()
	tools := `
tools:
  - name: post
    http: {method: POST, url: "` + upstream.URL + `/post"}
    effect: read
    input_schema: {type: object, properties: {id: {type: string}}, additionalProperties: false}
`
	g := servertest.Start(b, servertest.Load(b, tools, nil), quiet)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			g.Call(b, "r", "post", `{"id":"abc"}`)
		}
	})
}
