package agent_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"toolgate.dev/toolgate/examples/agent"
)

func TestTheNaiveStackTriesFiveTimesAStepAndSleepsOnPaper(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	stack := &agent.NaiveStack{Client: server.Client(), Routes: map[string]agent.Route{"t": {Method: http.MethodGet, URL: server.URL}}}
	run := (&agent.Agent{Tools: stack}).Do(t.Context(), agent.Task{Call: agent.Call{Tool: "t", Arguments: `{"a":"b"}`}})
	if run.Done || len(run.Steps) != 20 || asked != 100 || stack.Slept != 20*15*time.Second {
		t.Errorf("done %v in %d steps, asked %d times, slept %v", run.Done, len(run.Steps), asked, stack.Slept)
	}
	if text := run.Steps[0].Answer.Text; text != "tool call failed, please try again" {
		t.Errorf("it said %q", text)
	}
}

func TestTheNaiveStackReachesTools(t *testing.T) {
	var seen string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = r.Method + " " + r.URL.String() + " " + string(body)
		_, _ = w.Write([]byte(`{"ok":true}` + "\n"))
	}))
	defer server.Close()
	stack := &agent.NaiveStack{Client: server.Client(), Routes: map[string]agent.Route{
		"list": {Method: http.MethodGet, URL: server.URL + "/invoices"},
		"show": {Method: http.MethodGet, URL: server.URL + "/accounts/{id}"},
		"pay":  {Method: http.MethodPost, URL: server.URL + "/transfers"},
	}}
	for _, tc := range []struct{ tool, arguments, want string }{
		{"list", `{"start_date":"03/14/2026"}`, "GET /invoices?start_date=03%2F14%2F2026 "},
		{"show", `{"id":"a/b"}`, "GET /accounts/a%2Fb? "},
		{"pay", `{"amount":150.00}`, `POST /transfers {"amount":150.00}`},
	} {
		answer := stack.Call(t.Context(), agent.Call{Tool: tc.tool, Arguments: tc.arguments})
		if !answer.OK || answer.Text != `{"ok":true}` || seen != tc.want {
			t.Errorf("%s: sent %q, want %q; got %+v", tc.tool, seen, tc.want, answer)
		}
	}
}
