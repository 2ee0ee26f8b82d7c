package rest

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a stranger sends is refused with a reason or read as encoding/json reads
// it, with the arguments as they stand there.
func FuzzACallIsReadAsItStandsThere(f *testing.F) {
	f.Add([]byte(`{"run_id":"r","call_id":"c","arguments":{"a":1.50},"fresh":true}`))
	f.Add([]byte(`{"run_id":"r","arguments_json":"{\"a\":","want_alternatives":false}`))
	f.Add([]byte(`{"arguments":{"a":01},"run_id":"\u0072"}`))
	f.Add([]byte(`{"run_id":"r","arguments":[}`))
	f.Add([]byte(`{"a":{"arguments":1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if !utf8.Valid(body) {
			return // refused before
		}
		req, err := callRequest(body, "tool")
		if err != nil {
			return
		}
		if !json.Valid(body) {
			if req.GetCall().GetArgumentsJson() == "" || json.Valid([]byte(req.GetCall().GetArgumentsJson())) {
				t.Fatalf("%q is no JSON, and not because of its arguments %q", body, req.GetCall().GetArgumentsJson())
			}
			return
		}
		var want struct {
			Run       *string         `json:"run_id"`
			Arguments json.RawMessage `json:"arguments"`
			Text      *string         `json:"arguments_json"`
		}
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		run, text := "", ""
		if want.Run != nil {
			run = *want.Run
		}
		if want.Text != nil {
			text = *want.Text
		}
		if given := strings.TrimSpace(string(want.Arguments)); given != "" && given != "null" {
			text = given
		}
		if req.GetRunId() != run || req.GetCall().GetArgumentsJson() != text {
			t.Fatalf("%q: run %q, arguments %q", body, req.GetRunId(), req.GetCall().GetArgumentsJson())
		}
	})
}

func FuzzABatchIsReadOrRefused(f *testing.F) {
	f.Add([]byte(`{"run_id":"r","calls":[{"tool":"t","arguments":{}},{"tool":"u","arguments_json":"x"}]}`))
	f.Add([]byte(`{"calls":[[]]}`))
	f.Add([]byte(`{"calls":[{"arguments":{"a":01}} , {"arguments":[}]}]}`))
	f.Add([]byte(`{"calls":[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := batchRequest(body)
		if err != nil || json.Valid(body) {
			return
		}
		for _, call := range req.GetCalls() {
			if text := call.GetArgumentsJson(); text != "" && !json.Valid([]byte(text)) {
				return
			}
		}
		t.Fatalf("%q is no JSON, and not because of the arguments of %v", body, req)
	})
}
