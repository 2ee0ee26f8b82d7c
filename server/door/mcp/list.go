package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// anyObject is the schema of a tool that states none.
const anyObject = `{"type":"object"}`

// cacheTime is how long a client may go by the list that it has. It is told of
// changes, and a call is judged anew in any case.
const cacheTime = time.Minute

// maxPageBytes bounds the descriptions and schemas of a page: there are clients that
// give up on messages of 1 MiB.
const maxPageBytes = 768 << 10

func cacheable() sdk.Cacheable {
	return sdk.Cacheable{TTLMs: int(cacheTime.Milliseconds()), CacheScope: "private"} // lists are a principal's
}

func (d *Door) listTools(ctx context.Context, req *sdk.ListToolsRequest) (*sdk.ListToolsResult, error) {
	cursor := ""
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	after, ok := nameOf(cursor)
	if !ok {
		return nil, invalidParams("CURSOR_INVALID", "cursor", "it is none of this gateway's: begin without one")
	}
	ctx, done := d.within(ctx, req)
	defer done()
	listed, err := d.house.ListTools(ctx, &toolgatev1.ListToolsRequest{})
	if err != nil {
		return nil, faultOf(err)
	}
	tools := listed.GetTools() // by name
	start, _ := slices.BinarySearchFunc(tools, after, func(tool *toolgatev1.Tool, after string) int {
		if tool.GetName() <= after && after != "" {
			return -1
		}
		return 1
	})
	result := &sdk.ListToolsResult{
		Meta: sdk.Meta{MetaCatalogVersion: listed.GetCatalogVersion()}, Cacheable: cacheable(), Tools: []*sdk.Tool{},
	}
	end := start + d.page(tools[start:])
	for _, tool := range tools[start:end] {
		result.Tools = append(result.Tools, toolOf(tool))
	}
	if end < len(tools) {
		result.NextCursor = cursorOf(tools[end-1].GetName())
	}
	return result, nil
}

// page is how many of the tools come next: at least one.
func (d *Door) page(tools []*toolgatev1.Tool) (n int) {
	bytes := 0
	for _, tool := range tools {
		bytes += len(tool.GetDescription()) + len(tool.GetInputSchemaJson())
		if n > 0 && (n == d.settings.pageSize || bytes > maxPageBytes) {
			break
		}
		n++
	}
	return n
}

// A cursor is the last name that was listed, so that a change of the catalogue
// between two pages loses no tool that stays.
const cursorPrefix = "after:"

func cursorOf(name string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorPrefix + name))
}

func nameOf(cursor string) (name string, ok bool) {
	if cursor == "" {
		return "", true
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(string(text), cursorPrefix)
}

func toolOf(tool *toolgatev1.Tool) *sdk.Tool {
	return &sdk.Tool{
		Name: tool.GetName(), Description: tool.GetDescription(),
		InputSchema: objectSchema(tool.GetInputSchemaJson()), Annotations: annotationsOf(tool.GetEffect()),
	}
}

// annotationsOf says what the effect says, and no more: whether a write destroys
// anything nobody stated, so the protocol's default stands.
func annotationsOf(effect toolgatev1.Effect) *sdk.ToolAnnotations {
	read := effect == toolgatev1.Effect_EFFECT_READ
	annotations := &sdk.ToolAnnotations{ReadOnlyHint: read, IdempotentHint: read || effect == toolgatev1.Effect_EFFECT_IDEMPOTENT}
	if read {
		annotations.DestructiveHint = new(bool)
	}
	return annotations
}

// objectSchema is the schema as it stands, with the type that the protocol demands
// at its top: one tool without it has some clients refuse the whole list.
func objectSchema(text string) json.RawMessage {
	raw := []byte(text)
	if !json.Valid(raw) || rawjson.KindOf(raw) != rawjson.Object {
		return json.RawMessage(anyObject)
	}
	if kind, ok := rawjson.Get(raw, "type"); ok && string(kind) == `"object"` {
		return raw
	}
	schema := []byte(`{"type":"object"`)
	for member := range rawjson.Members(raw) {
		if member.Name() != "type" {
			schema = append(append(schema, ','), raw[member.Start:member.End]...)
		}
	}
	return append(schema, '}')
}
