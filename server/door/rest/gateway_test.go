package rest_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

const catalogue = `
tools:
  - name: find
    description: Finds.
    http: {method: GET, url: "http://upstream.test/find"}
    input_schema: {type: object, properties: {n: {type: integer}, day: {type: string, format: date}}, additionalProperties: false}
  - name: pay
    description: Pays.
    http: {method: POST, url: "http://upstream.test/pay"}
    input_schema: {type: object, properties: {amount: {type: number}, to: {type: string}}}
  - name: slow
    description: Takes its time.
    http: {method: GET, url: "http://upstream.test/slow"}
    policy: {max_attempts: 1, attempt_timeout: 30s}
`

// gateway is a running gateway and a client of its HTTP door. Whatever it answers
// is held against the OpenAPI document.
type gateway struct {
	*servertest.Gateway

	t        *testing.T
	Client   *http.Client
	Upstream *servertest.Upstream
}

func start(t *testing.T, script ...servertest.Step) *gateway {
	t.Helper()
	upstream := servertest.NewUpstream(t, script...)
	return startWith(t, servertest.Load(t, catalogue, upstream), upstream)
}

func startWith(t *testing.T, tools *catalog.Catalog, upstream *servertest.Upstream, options ...servertest.Option) *gateway {
	t.Helper()
	listener := pipetest.Listen()
	options = append(options, func(c *server.Config) { c.HTTP.Listener = listener })
	g := &gateway{Gateway: servertest.Start(t, tools, options...), t: t, Upstream: upstream}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.DialContext(ctx) }}
	t.Cleanup(transport.CloseIdleConnections)
	g.Client = &http.Client{Transport: &conforming{t: t, next: transport}}
	return g
}

// answer is what came back, read to its end.
type answer struct {
	*http.Response
	Text string
}

// do sends a request; headers are pairs.
func (g *gateway) do(method, path, body string, headers ...string) answer {
	g.t.Helper()
	resp := g.open(context.Background(), method, path, body, headers...)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{Response: resp, Text: string(text)}
}

func (g *gateway) open(ctx context.Context, method, path, body string, headers ...string) *http.Response {
	g.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://gateway.test"+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := g.Client.Do(req)
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

// call makes one call.
func (g *gateway) call(tool, body string, headers ...string) answer {
	g.t.Helper()
	return g.do(http.MethodPost, "/v1/tools/"+tool+":call", body, headers...)
}

// event is one server-sent event.
type event struct{ Name, Data string }

// events reads a stream to its end; comments are events without a name.
func events(t *testing.T, text string) (all []event) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		var e event
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "event":
				e.Name = value
			case "data":
				e.Data = value
			case "":
				e.Data = value
			default:
				t.Errorf("a line that is no event's: %q", line)
			}
		}
		all = append(all, e)
	}
	return all
}

func repeated(text string, n int) string { return string(bytes.Repeat([]byte(text), n)) }

const second = time.Second

// now and since are the bubble's.
func now() time.Time { return time.Now() }

func since(begun time.Time) float64 { return time.Since(begun).Seconds() }
