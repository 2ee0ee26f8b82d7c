package mcpclients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/internal/peertest"
)

// TestGo drives the official SDK in Go.
func TestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("drives clients of others")
	}
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, to := range targets {
			t.Run(version+" "+to.name, func(t *testing.T) { goStory(t, version, to.args(t)) })
		}
	}
}

// gopher is a client, and what it was told.
type gopher struct {
	*sdk.ClientSession

	mu   sync.Mutex // guards told
	told []string
}

func connect(t *testing.T, version string, target []string) *gopher {
	t.Helper()
	g := &gopher{}
	var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: target[0]}
	if len(target) > 1 {
		transport = &sdk.CommandTransport{Command: exec.Command(target[0], target[1:]...)}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "go", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.told = append(g.told, req.Params.Message)
		},
	})
	var err error
	if g.ClientSession, err = client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func goStory(t *testing.T, version string, target []string) {
	g := connect(t, version, target)
	check := func(name string, f func() error) {
		peertest.Check(t, "go", name, func(t *testing.T) {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
	}
	check("instructions", func() error {
		got := g.InitializeResult()
		return want(strings.Contains(got.Instructions, `"terminal": this call is over`) && got.ProtocolVersion == version, got)
	})
	check("list", func() error {
		listed, err := g.ListTools(t.Context(), nil)
		return first(err, func() error { return want(len(listed.Tools) > 8, listed) })
	})
	check("success", func() error {
		result, err := g.call(t, "list_invoices", `{"start_date":"03/14/2026"}`)
		return first(err, func() error {
			return want(!result.IsError && result.StructuredContent == nil && json.Valid([]byte(textOf(result))), result)
		})
	})
	for _, c := range []struct{ name, tool, arguments, text, failure string }{
		{"invalid_request", "list_invoices", `{"status":"late"}`, `"class":"invalid_request"`, "capability"},
		{"unknown tool", "list_invoicez", `{}`, `"error":"unknown_tool"`, "capability"},
		{"terminal, with alternatives", "book_slot", `{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"}`, `"alternatives":[{`, "governance"},
		{"transient", "down", `{}`, `"retry_after":300`, "reliability"},
	} {
		check(c.name, func() error {
			result, err := g.call(t, c.tool, c.arguments)
			return first(err, func() error {
				failure, _ := result.Meta["io.modelcontextprotocol/toolFailure"].(map[string]any)
				return want(result.IsError && len(result.Content) == 1 && strings.Contains(textOf(result), c.text) && failure["class"] == c.failure, result)
			})
		})
	}
	check("progress", func() error {
		result, err := g.call(t, "flaky", `{}`, "progressToken", "p")
		return first(err, func() error {
			g.mu.Lock()
			defer g.mu.Unlock()
			return want(!result.IsError && strings.Contains(strings.Join(g.told, "|"), "attempt 2 of 5 in"), g.told)
		})
	})
	check("cancellation", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if result, err := g.CallTool(ctx, &sdk.CallToolParams{Name: "hang"}); err == nil {
			return want(false, result)
		}
		left, err := g.call(t, "hung", `{}`)
		return first(err, func() error { return want(textOf(left) == `{"left":true}`, left) })
	})
	check("fault of the runtime", func() error {
		result, err := g.call(t, "list_invoices", `{}`, "dev.toolgate/run_id", 7)
		var fault *jsonrpc.Error
		return want(errors.As(err, &fault) && fault.Code == jsonrpc.CodeInvalidParams && strings.Contains(string(fault.Data), "META_INVALID"), result)
	})
	check("run", func() error {
		result, err := g.call(t, "list_invoices", `{}`, "dev.toolgate/run_id", "nightly")
		return first(err, func() error { return want(result.Meta["dev.toolgate/run_id"] == "nightly", result) })
	})
}

func (g *gopher) call(t *testing.T, tool, arguments string, meta ...any) (*sdk.CallToolResult, error) {
	params := &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments), Meta: sdk.Meta{}}
	for i := 0; i+1 < len(meta); i += 2 {
		params.Meta[meta[i].(string)] = meta[i+1]
	}
	return g.CallTool(t.Context(), params)
}

func textOf(result *sdk.CallToolResult) string {
	if len(result.Content) == 0 {
		return ""
	}
	text, _ := result.Content[0].(*sdk.TextContent)
	if text == nil {
		return ""
	}
	return text.Text
}

func first(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

func want(condition bool, found any) error {
	if condition {
		return nil
	}
	text, err := json.Marshal(found)
	return first(err, func() error { return fmt.Errorf("found %s", text) })
}
