package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/door/mcp"
	"toolgate.dev/toolgate/server/servertest"
)

func TestToolsAreListedAsTheyAre(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		c := h.connect(t, w)
		listed, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		hints := map[string]string{}
		for _, tool := range listed.Tools {
			hints[tool.Name] = shown(tool.Annotations)
			if !strings.HasSuffix(tool.Description, "terminal stop.") {
				t.Errorf("%s has no contract: %q", tool.Name, tool.Description)
			}
			if schema, _ := tool.InputSchema.(map[string]any); schema["type"] != "object" {
				t.Errorf("%s takes %v", tool.Name, tool.InputSchema)
			}
		}
		want := map[string]string{
			"read":  `{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}`,
			"set":   `{"idempotentHint":true,"readOnlyHint":false}`,
			"write": `{"idempotentHint":false,"readOnlyHint":false}`,
		}
		if len(hints) != 3 || hints["read"] != want["read"] || hints["set"] != want["set"] || hints["write"] != want["write"] {
			t.Errorf("got %v, want %v", hints, want)
		}
		if listed.Meta[mcp.MetaCatalogVersion] != h.gateway.Server.Catalog().Version() {
			t.Errorf("the list is of version %v", listed.Meta)
		}
	})
}

func TestTheContractIsInTheInstructions(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		c := h.connect(t, w)
		got := c.InitializeResult()
		if !strings.Contains(got.Instructions, `"terminal": this call is over`) || got.ServerInfo.Name != "toolgate" {
			t.Errorf("got %s", shown(got))
		}
		if got.ProtocolVersion != w.version {
			t.Errorf("version %s", got.ProtocolVersion)
		}
		if w.version < "2026-07-28" {
			if err := c.Ping(t.Context(), nil); err != nil {
				t.Errorf("ping: %v", err)
			}
		}
	})
}

func many(n int) string {
	var yaml strings.Builder
	yaml.WriteString("upstreams:\n  api: {url: http://upstream.test}\ntools:\n")
	for i := range n {
		fmt.Fprintf(&yaml, "  - {name: tool_%03d, upstream: api, http: {method: GET, url: /}, input_schema: {type: object}}\n", i)
	}
	return yaml.String()
}

func TestALongListComesInPages(t *testing.T) {
	bubbleOf(t, many(25), func(t *testing.T, h *house) {
		paged := mcp.New(h.gateway.Server.House(), mcp.WithPageSize(10))
		h.listener = open(t, paged)
		c := h.connect(t, ways[1])
		var names []string
		var sizes []int
		for cursor := ""; ; {
			page, err := c.ListTools(t.Context(), &sdk.ListToolsParams{Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(page.Tools))
			for _, tool := range page.Tools {
				names = append(names, tool.Name)
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if !slices.Equal(sizes, []int{10, 10, 5}) || !slices.IsSorted(names) || len(slices.Compact(names)) != 25 {
			t.Errorf("pages of %v: %v", sizes, names)
		}
		for _, cursor := range []string{"?", "bm9uc2Vuc2U"} {
			_, err := c.ListTools(t.Context(), &sdk.ListToolsParams{Cursor: cursor})
			var fault *jsonrpc.Error
			if !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInvalidParams || !strings.Contains(data(fault), "CURSOR_INVALID") {
				t.Errorf("%s: %v", cursor, err)
			}
		}
	})
}

func TestAPageIsNoLargerThanClientsTake(t *testing.T) {
	long := strings.ReplaceAll(many(20), "{type: object}", `{type: object, description: "`+strings.Repeat("x", 100<<10)+`"}`)
	bubbleOf(t, long, func(t *testing.T, h *house) {
		c := h.connect(t, ways[0])
		listed, pages := 0, 0
		for cursor := ""; pages == 0 || cursor != ""; pages++ {
			page, err := c.ListTools(t.Context(), &sdk.ListToolsParams{Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			if size := len(shown(page)); size > 1<<20 {
				t.Errorf("a page has %d bytes", size)
			}
			listed, cursor = listed+len(page.Tools), page.NextCursor
		}
		if listed != 20 || pages != 3 {
			t.Errorf("%d tools in %d pages", listed, pages)
		}
	})
}

func TestAClientIsToldOfOtherTools(t *testing.T) {
	bubble(t, catalogue, func(t *testing.T, h *house, w way) {
		c := h.connect(t, w)
		time.Sleep(time.Second)
		h.gateway.Server.Reload(servertest.Load(t, many(2), h.upstream))
		time.Sleep(time.Second)
		synctest.Wait()
		c.mu.Lock()
		changes := c.changes
		c.mu.Unlock()
		listed, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if changes != 1 || len(listed.Tools) != 2 || listed.Tools[0].Name != "tool_000" {
			t.Errorf("told %d times of %s", changes, shown(listed.Tools))
		}
		h.gateway.Server.Reload(servertest.Load(t, many(2), h.upstream))
		time.Sleep(time.Second)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.changes != 1 {
			t.Errorf("told of nothing new")
		}
	})
}

func TestSomeToolsAreNotForAll(t *testing.T) {
	permitted := func(config *server.Config) { config.Permitted = func(_, tool string) bool { return tool != "write" } }
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			bubbleOf(t, catalogue, func(t *testing.T, h *house) {
				c := h.connect(t, w)
				listed, err := c.ListTools(t.Context(), nil)
				if err != nil || len(listed.Tools) != 2 {
					t.Errorf("listed %s, %v", shown(listed), err)
				}
				forbidden := said(t, c.call(t, "write", `{}`, mcp.MetaRunID, "a"))
				unknown := said(t, c.call(t, "wrote", `{}`, mcp.MetaRunID, "b"))
				if forbidden != unknown && forbidden != strings.ReplaceAll(unknown, "wrote", "write") {
					t.Errorf("told apart: %s and %s", forbidden, unknown)
				}
			}, permitted)
		})
	}
}

func TestASchemaKeepsItsDigitsAndItsOrder(t *testing.T) {
	schema := `{"type":"object","properties":{"z":{"maximum":100000000000000000001},"a":{"minimum":1.10}}}`
	bubbleOf(t, strings.Replace(many(1), `{type: object}`, schema, 1), func(t *testing.T, h *house) {
		c := h.connect(t, ways[3])
		listed, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = listed // the SDK's client reads numbers as floats: the raw text is looked at below
		raw := h.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if !strings.Contains(raw, `"maximum":100000000000000000001`) || !strings.Contains(raw, `"minimum":1.10`) ||
			strings.Index(raw, `"z"`) > strings.Index(raw, `"a"`) {
			t.Errorf("got %s", raw)
		}
	})
}

// event is the message of the one event that a POST is answered with.
func event(t *testing.T, body string) string {
	t.Helper()
	for line := range strings.Lines(body) {
		if message, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSpace(message)
		}
	}
	if !json.Valid([]byte(body)) {
		t.Fatalf("no event: %s", body)
	}
	return body
}
