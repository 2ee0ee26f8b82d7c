package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/protobuf/encoding/protojson"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/door/mcp"
	"toolgate.dev/toolgate/server/servertest"
)

// entrance is a gateway all of whose doors are open.
type entrance struct {
	*servertest.Gateway

	web *http.Client
}

func enter(t *testing.T, tools *catalog.Catalog) *entrance {
	t.Helper()
	t.Cleanup(tools.Close)
	open, client, _ := atHTTP(t)
	return &entrance{Gateway: servertest.Start(t, tools, open), web: client}
}

func seenIn(failed *toolgatev1.ToolError) seen {
	return seen{classWord(failed.GetErrorClass()), failed.GetCode(), failed.GetObservation()}
}

// seenInText reads what an observation says of itself.
func seenInText(t *testing.T, observation string) seen {
	t.Helper()
	var said struct{ Error, Class string }
	if err := json.Unmarshal([]byte(observation), &said); err != nil {
		t.Errorf("%s: %v", observation, err)
	}
	return seen{said.Class, said.Error, observation}
}

func throughGRPC(t *testing.T, g *entrance, run, tool, arguments string) seen {
	return seenIn(g.Call(t, run, tool, arguments).GetError())
}

func throughBatch(t *testing.T, g *entrance, run, tool, arguments string) seen {
	stream, err := g.Client.CallTools(t.Context(), &toolgatev1.CallToolsRequest{RunId: run, Calls: []*toolgatev1.ToolCall{{Tool: tool, ArgumentsJson: arguments}}})
	if err != nil {
		t.Fatal(err)
	}
	for {
		event, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if failed := event.GetDone().GetError(); failed != nil {
			return seenIn(failed)
		}
	}
}

// callBody is a call as the HTTP door takes it.
func callBody(t *testing.T, fields map[string]any) string {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func throughHTTP(t *testing.T, g *entrance, run, tool, arguments string) seen {
	status, header, text := post(g.web, "/v1/tools/"+tool+":call", callBody(t, map[string]any{"run_id": run, "arguments_json": arguments}))
	got := seenInText(t, text)
	want := map[string][]int{"transient": {429, 503}, "invalid_request": {400, 400}, "terminal": {422, 403}}[got.class]
	if len(want) == 0 || (status != want[0] && status != want[1]) || header.Get("Toolgate-Class") != got.class || (header.Get("Retry-After") != "") != (got.class == "transient") {
		t.Errorf("%d %v says %s", status, header, text)
	}
	return got
}

func throughEvents(t *testing.T, g *entrance, run, tool, arguments string) seen {
	_, _, text := post(g.web, "/v1/tools/"+tool+":call", callBody(t, map[string]any{"run_id": run, "arguments_json": arguments}), "Accept", "text/event-stream")
	_, done, _ := strings.Cut(text, "event: done\ndata: ")
	return seenInDone(t, done)
}

func throughHTTPBatch(t *testing.T, g *entrance, run, tool, arguments string) seen {
	call := map[string]any{"tool": tool, "arguments_json": arguments}
	_, _, text := post(g.web, "/v1/tools:callBatch", callBody(t, map[string]any{"run_id": run, "calls": []any{call}}))
	return seenInDone(t, strings.TrimSuffix(strings.TrimPrefix(text, `{"outcomes":[`), "]}"))
}

func seenInDone(t *testing.T, text string) seen {
	t.Helper()
	var done struct{ Error json.RawMessage }
	if err := json.Unmarshal([]byte(text), &done); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return seenInText(t, string(done.Error))
}

func throughConnect(t *testing.T, g *entrance, run, tool, arguments string) seen {
	call := map[string]any{"tool": tool, "argumentsJson": arguments}
	_, _, text := post(g.web, toolgatev1.ToolGatewayService_CallTool_FullMethodName, callBody(t, map[string]any{"runId": run, "call": call}))
	answer := &toolgatev1.CallToolResponse{}
	if err := protojson.Unmarshal([]byte(text), answer); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return seenIn(answer.GetError())
}

func throughMCP(t *testing.T, g *entrance, run, tool, arguments string) seen {
	transport := &sdk.StreamableClientTransport{Endpoint: "http://gateway.test/mcp", HTTPClient: g.web, DisableStandaloneSSE: true}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments), Meta: sdk.Meta{mcp.MetaRunID: run}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result.Meta[mcp.MetaError])
	if err != nil {
		t.Fatal(err)
	}
	failed := &toolgatev1.ToolError{}
	if err := protojson.Unmarshal(text, failed); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	shown := ""
	if len(result.Content) == 1 {
		shown = result.Content[0].(*sdk.TextContent).Text
	}
	if !result.IsError || shown != failed.GetObservation() || result.StructuredContent != nil {
		t.Errorf("%s says %s", shown, text)
	}
	return seenIn(failed)
}
