package mcp_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/servertest"
)

const ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// talk writes lines and returns those that come back until all is over.
func (h *house) talk(t *testing.T, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := h.gateway.Server.MCP().ServeStdio(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Error(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func TestWhatIsPipedInIsAnsweredBeforeTheEnd(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		h.upstream.Script(servertest.Respond(503, ""), servertest.After(2*time.Second, servertest.Respond(200, `{"ok":true}`)))
		out := h.talk(t, hello, ready, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{}}}`)
		if len(out) != 2 || !strings.Contains(out[1], `"id":7`) || !strings.Contains(out[1], `{\"ok\":true}`) {
			t.Errorf("got %q", out)
		}
	})
}

func TestALineThatIsNoMessageIsAnsweredAndTheSessionGoesOn(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		out := h.talk(t, hello, ready, `{"jsonrpc":`, "", "  \t", strings.Repeat("[", 3000),
			`{"x":"`+strings.Repeat("x", 33<<20)+`"}`,
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":`+strings.Repeat("[", 3000)+strings.Repeat("]", 3000)+`}}`)
		faults := 0
		for _, line := range out {
			if strings.Contains(line, `"code":-32700`) && strings.Contains(line, `"id":null`) {
				faults++
			}
		}
		if len(out) != 5 || faults != 3 || !strings.Contains(strings.Join(out, ""), `\"class\":\"invalid_request\"`) {
			t.Errorf("%d faults: %.2000q", faults, out)
		}
	})
}

func TestAClientThatIsInterruptedCancelsItsCalls(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		gone := make(chan struct{})
		h.upstream.Script(servertest.Hang)
		in, theirs := io.Pipe()
		defer theirs.Close()
		ctx, interrupt := context.WithCancel(t.Context())
		go func() {
			defer close(gone)
			if err := h.gateway.Server.MCP().ServeStdio(ctx, in, io.Discard); err != nil {
				t.Error(err)
			}
		}()
		for _, line := range []string{hello, ready, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{}}}`} {
			if _, err := io.WriteString(theirs, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		start := time.Now()
		interrupt()
		<-gone
		if took := time.Since(start); took > time.Second || h.upstream.Count() != 1 {
			t.Errorf("it took %v", took)
		}
	})
}

func TestTheRunOfAPipeEndsWithIt(t *testing.T) {
	bubbleOf(t, catalogue, func(t *testing.T, h *house) {
		h.talk(t, hello, ready, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{}}}`)
		report, err := h.gateway.Client.GetFailureReport(t.Context(), &toolgatev1.GetFailureReportRequest{})
		if err != nil || report.GetCalls() != 1 {
			t.Errorf("%v %v", report, err)
		}
		if !strings.Contains(h.gateway.Log(), "mcp-") {
			t.Error("the run is nowhere")
		}
	})
}
