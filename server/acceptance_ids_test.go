package server_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

func TestAResendJoinsTheRunningCall(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.After(3*time.Second, okay))
		answers := make(chan *toolgatev1.CallToolResponse, 2)
		first, cancel := context.WithCancel(context.Background())
		go func() { _, _ = g.Try(first, "r", "read", `{}`, servertest.ID("c1")) }()
		time.Sleep(time.Second)
		go func() { answers <- g.Call(t, "r", "read", `{}`, servertest.ID("c1")) }()
		time.Sleep(time.Second)
		cancel() // the first caller leaves; the call goes on for the second
		if resp := <-answers; resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
		if resp := g.Call(t, "r", "read", `{}`, servertest.ID("c1")); resp.GetResult() == nil {
			t.Errorf("the outcome was not repeated: %v", resp)
		}
		wantRequests(t, up, 1)
	})
}

func TestWhoJoinsWithMoreTimeGivesItToTheAttemptUnderWay(t *testing.T) {
	for _, tool := range []string{"lookup", "deposit"} {
		bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
			up.Script(servertest.After(5*time.Second, okay))
			hasty, leave := context.WithTimeout(t.Context(), 2*time.Second)
			defer leave()
			go func() { _, _ = g.Try(hasty, "r", tool, `{}`, servertest.ID("c1")) }()
			time.Sleep(time.Second)
			patient, leave := context.WithTimeout(t.Context(), 30*time.Second)
			defer leave()
			resp, err := g.Try(patient, "r", tool, `{}`, servertest.ID("c1"))
			if err != nil || resp.GetResult() == nil {
				t.Errorf("%s: got %v, %v", tool, resp, err)
			}
			wantRequests(t, up, 1)
		})
	}
}

func TestWhoeverJoinsTheCallStillEndsInTime(t *testing.T) {
	bubble(t, capCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Hang)
		answers := make(chan *toolgatev1.CallToolResponse, 2)
		for n, patience := range []time.Duration{2 * time.Second, 4 * time.Second} {
			go func() {
				time.Sleep(time.Duration(n) * time.Second / 2)
				ctx, leave := context.WithTimeout(t.Context(), patience)
				defer leave()
				resp, err := g.Try(ctx, "r", "deposit", `{}`, servertest.ID("c1"))
				if (err == nil) != (n == 1) { // the first has left by then
					t.Errorf("caller %d: %v", n, err)
				}
				answers <- resp
			}()
		}
		<-answers
		wantError(t, <-answers, terminal, "outcome_unknown")
		wantRequests(t, up, 1)
	})
}

func TestAResendOfATransientCallIsSentAnewAfterItsTime(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(servertest.Respond(http.StatusTooManyRequests, "", "Retry-After", "90"))
		wantError(t, g.Call(t, "r", "read", `{}`, servertest.ID("c1")), transient, "")
		time.Sleep(30 * time.Second)
		if e := wantError(t, g.Call(t, "r", "read", `{}`, servertest.ID("c1")), transient, ""); e.GetRetryAfter() > 60 || e.GetRetryAfter() < 59 {
			t.Errorf("got %v, want the time left", e.GetRetryAfter())
		}
		wantRequests(t, up, 1)
		time.Sleep(61 * time.Second)
		up.Script(okay)
		if resp := g.Call(t, "r", "read", `{}`, servertest.ID("c1")); resp.GetResult() == nil {
			t.Errorf("got %v", resp)
		}
	})
}

func TestACallIDOfAnotherCallIsTheRuntimesMistake(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, up *servertest.Upstream) {
		up.Script(okay)
		g.Call(t, "r", "read", `{}`, servertest.ID("c1"))
		_, err := g.Try(context.Background(), "r", "read", `{"id":"x"}`, servertest.ID("c1"))
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("got %v, want INVALID_ARGUMENT", err)
		}
		answers := make(chan *toolgatev1.CallToolResponse, 2)
		stream(t, g, &toolgatev1.CallToolsRequest{RunId: "r", Calls: []*toolgatev1.ToolCall{
			{CallId: "c1", Tool: "read", ArgumentsJson: `{"id":"y"}`}, {CallId: "c2", Tool: "read", ArgumentsJson: `{"id":"z"}`},
		}}, answers)
		var codesSeen []string
		for range 2 {
			resp := <-answers
			codesSeen = append(codesSeen, resp.GetError().GetCode())
		}
		if got := strings.Join(codesSeen, ","); got != "call_id_reused," && got != ",call_id_reused" {
			t.Errorf("got %q", got)
		}
	})
}

func TestARunIDIsRequired(t *testing.T) {
	bubble(t, readCatalogue, func(t *testing.T, g *servertest.Gateway, _ *servertest.Upstream) {
		for _, run := range []string{"", strings.Repeat("r", 129)} {
			if _, err := g.Try(context.Background(), run, "read", `{}`); status.Code(err) != codes.InvalidArgument {
				t.Errorf("run %q: %v", run, err)
			}
		}
	})
}

func TestAPanicFailsItsOwnCallAlone(t *testing.T) {
	const tools = `
tools:
  - name: bomb
    description: Goes off where told.
    function: {}
    effect: read
    input_schema: {type: object, properties: {armed: {type: boolean}}}
`
	synctest.Test(t, func(t *testing.T) {
		bomb := func(_ context.Context, arguments json.RawMessage) (any, error) {
			if strings.Contains(string(arguments), "true") {
				panic("secret-of-the-stack")
			}
			return map[string]bool{"fine": true}, nil
		}
		g := servertest.Start(t, servertest.Load(t, tools, nil, catalog.WithFunction("bomb", bomb)))
		answers := make(chan *toolgatev1.CallToolResponse, 3)
		stream(t, g, &toolgatev1.CallToolsRequest{RunId: "r", Calls: []*toolgatev1.ToolCall{
			{Tool: "bomb", ArgumentsJson: `{"armed":false}`}, {Tool: "bomb", ArgumentsJson: `{"armed":true}`}, {Tool: "bomb", ArgumentsJson: `{}`},
		}}, answers)
		results := 0
		for range 3 {
			resp := <-answers
			if resp.GetResult() != nil {
				results++
			} else if strings.Contains(resp.String(), "secret-of-the-stack") {
				t.Errorf("the panic's words reached the caller: %v", resp)
			}
		}
		if results != 2 {
			t.Errorf("%d results, want 2", results)
		}
	})
}

func TestAPanicOfTheEmbeddingProgramFailsItsOwnCallAlone(t *testing.T) {
	panics := func(why string) { panic("secret-of-the-stack: " + why) }
	for name, broken := range map[string]func(*server.Config){
		"permissions": func(c *server.Config) {
			c.Permitted = func(_, tool string) bool {
				if tool == "deposit" {
					panics("no directory")
				}
				return true
			}
		},
		"logger": func(c *server.Config) { c.Logger = slog.New(fuse{c.Logger.Handler(), panics}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				up := servertest.NewUpstream(t, okay)
				g := servertest.Start(t, servertest.Load(t, capCatalogue, up), broken)
				answers := make(chan *toolgatev1.CallToolResponse, 2)
				stream(t, g, &toolgatev1.CallToolsRequest{RunId: "r", Calls: []*toolgatev1.ToolCall{
					{Tool: "deposit", ArgumentsJson: `[]`}, {Tool: "remove", ArgumentsJson: `{"name":"a"}`},
				}}, answers)
				for range 2 {
					resp := <-answers
					if e := resp.GetError(); e != nil {
						wantError(t, resp, terminal, "internal")
						checkInvariants(t, e)
					}
					if strings.Contains(resp.String(), "secret-of-the-stack") {
						t.Errorf("the panic's words reached the caller: %v", resp)
					}
				}
				wantRequests(t, up, 1)
			})
		})
	}
}

// fuse is a log handler that breaks on the line of a failed call.
type fuse struct {
	slog.Handler
	panics func(string)
}

func (f fuse) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == "tool call failed" {
		f.panics("disk full")
	}
	return f.Handler.Handle(ctx, record)
}
