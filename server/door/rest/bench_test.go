package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
)

// answering is a house that has the answer already.
type answering struct {
	door.House

	response *toolgatev1.CallToolResponse
}

func (a answering) CallTool(context.Context, *toolgatev1.CallToolRequest, func(*toolgatev1.CallProgress)) (*toolgatev1.CallToolResponse, error) {
	return a.response, nil
}

// What the door adds to a call: its body read and its answer written.
func BenchmarkACallThroughTheDoor(b *testing.B) {
	rows := `[` + strings.Repeat(`{"id":"inv_3131","amount":99.90},`, 400) + `{}]`
	for _, c := range []struct{ name, arguments, structured string }{
		{"small", `{"n":1}`, `{"a":1.50}`}, {"16K", rows, rows},
	} {
		b.Run(c.name, func(b *testing.B) {
			served := New(answering{response: &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{Result: &toolgatev1.ToolResult{
				StructuredJson: c.structured, Attempts: 1,
			}}}})
			body := `{"run_id":"r","arguments":` + c.arguments + `}`
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/v1/tools/find:call", strings.NewReader(body))
				r.Header.Set("Content-Type", jsonType)
				w := httptest.NewRecorder()
				served.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
