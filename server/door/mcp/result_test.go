package mcp

import (
	"encoding/json"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

func textBlock(text string) *toolgatev1.ContentBlock {
	return &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: text}}}
}

func TestAnAnswerIsSaidOnceInTheKindsThatTheClientKnows(t *testing.T) {
	image := &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Image{Image: &toolgatev1.BlobBlock{Data: []byte("i"), MimeType: "image/png"}}}
	audio := &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Audio{Audio: &toolgatev1.BlobBlock{Data: []byte("a")}}}
	link := &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Resource{Resource: &toolgatev1.ResourceBlock{Uri: "file:///a/b.txt", MimeType: "text/plain"}}}
	file := &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Resource{Resource: &toolgatev1.ResourceBlock{Uri: "file:///a", Text: "in it"}}}
	bytes := &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Resource{Resource: &toolgatev1.ResourceBlock{MimeType: "application/pdf", Data: []byte("p")}}}
	const newest, oldest = "2026-07-28", "2024-11-05"
	for _, c := range []struct {
		name                string
		result              *toolgatev1.ToolResult
		version             string
		program             bool
		content, structured string
	}{
		{"JSON alone is text", &toolgatev1.ToolResult{StructuredJson: `{"b":1.0,"a":2}`}, newest, false, `[{"type":"text","text":"{\"b\":1.0,\"a\":2}"}]`, ``},
		{"and structured for who asks", &toolgatev1.ToolResult{StructuredJson: `{"b":1.0,"a":2}`}, newest, true, `[]`, `{"b":1.0,"a":2}`},
		{"a list is, too, since lists may be", &toolgatev1.ToolResult{StructuredJson: `[1]`}, newest, true, `[]`, `[1]`},
		{"and text before that", &toolgatev1.ToolResult{StructuredJson: `[1]`}, "2025-11-25", true, `[{"type":"text","text":"[1]"}]`, ``},
		{"text alone is text", &toolgatev1.ToolResult{Content: []*toolgatev1.ContentBlock{textBlock("hello")}}, newest, true, `[{"type":"text","text":"hello"}]`, ``},
		{
			"text that says the same is said once",
			&toolgatev1.ToolResult{StructuredJson: `{"a":1,"b":[2]}`, Content: []*toolgatev1.ContentBlock{textBlock("{\n  \"b\": [2],\n  \"a\": 1\n}")}},
			newest, false, `[{"type":"text","text":"{\n  \"b\": [2],\n  \"a\": 1\n}"}]`, ``,
		},
		{
			"text that says something else stands beside it",
			&toolgatev1.ToolResult{StructuredJson: `{"a":1}`, Content: []*toolgatev1.ContentBlock{textBlock("one")}}, newest, false, `[{"type":"text","text":"one"}]`, `{"a":1}`,
		},
		{
			"which older clients get as text",
			&toolgatev1.ToolResult{StructuredJson: `{"a":1}`, Content: []*toolgatev1.ContentBlock{textBlock("one")}}, oldest, false,
			`[{"type":"text","text":"one"},{"type":"text","text":"{\"a\":1}"}]`, ``,
		},
		{
			"JSON comes before what is no text", &toolgatev1.ToolResult{StructuredJson: `{"a":1}`, Content: []*toolgatev1.ContentBlock{image}}, newest, false,
			`[{"type":"text","text":"{\"a\":1}"},{"type":"image","mimeType":"image/png","data":"aQ=="}]`, ``,
		},
		{
			"every kind", &toolgatev1.ToolResult{Content: []*toolgatev1.ContentBlock{audio, link, file, bytes, {}}}, newest, false,
			`[{"type":"audio","mimeType":"application/octet-stream","data":"YQ=="},` +
				`{"type":"resource_link","mimeType":"text/plain","uri":"file:///a/b.txt","name":"b.txt"},` +
				`{"type":"resource","resource":{"uri":"file:///a","text":"in it"}},` +
				`{"type":"resource","resource":{"uri":"toolgate:result","mimeType":"application/pdf","blob":"cA=="}},` +
				`{"type":"text","text":""}]`, ``,
		},
		{
			"and for the oldest clients", &toolgatev1.ToolResult{Content: []*toolgatev1.ContentBlock{audio, link}}, oldest, false,
			`[{"type":"resource","resource":{"uri":"toolgate:result","blob":"YQ=="}},{"type":"text","text":"file:///a/b.txt"}]`, ``,
		},
		{
			"a part of a list says so",
			&toolgatev1.ToolResult{StructuredJson: `[1,2]`, Returned: 2, Matched: proto.Uint64(30), Truncated: true}, newest, false,
			`[{"type":"text","text":"[1,2]"},{"type":"text","text":"{\"truncated\":true,\"returned\":2,\"matched\":30}"}]`, ``,
		},
		{"a whole one doesn't", &toolgatev1.ToolResult{StructuredJson: `[1,2]`, Returned: 2, Matched: proto.Uint64(2)}, newest, false, `[{"type":"text","text":"[1,2]"}]`, ``},
		{"nothing is nothing", &toolgatev1.ToolResult{}, newest, false, `[]`, ``},
	} {
		got := succeeded(c.result, c.version, c.program)
		content, err := json.Marshal(got.Content)
		structured, _ := got.StructuredContent.(json.RawMessage)
		if err != nil || string(content) != c.content || string(structured) != c.structured || got.IsError {
			t.Errorf("%s:\ngot  %s %s %v\nwant %s %s", c.name, content, structured, err, c.content, c.structured)
		}
	}
}

func TestTheProposalsShapeSaysWhatOursSays(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	after := 1.2345
	for class, want := range map[toolgatev1.ErrorClass]string{
		toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT:       `{"class":"reliability","code":"c","retryable":true,"retryNotBefore":1001235,"correlationId":"id"}`,
		toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST: `{"class":"capability","code":"c","retryable":false,"correlationId":"id"}`,
		toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL:        `{"class":"governance","code":"c","retryable":false,"correlationId":"id"}`,
		toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED:     `{"class":"governance","code":"c","retryable":false,"correlationId":"id"}`,
		99: `{"class":"governance","code":"c","retryable":false,"correlationId":"id"}`,
	} {
		e := &toolgatev1.ToolError{ErrorClass: class, Code: "c", CorrelationId: "id"}
		if class == toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT {
			e.RetryAfter = &after
		}
		got := toolFailureOf(e, now)
		if got.AgentGuidance == "" {
			t.Errorf("%v: no word to the agent", class)
		}
		got.AgentGuidance = ""
		if text, err := json.Marshal(got); err != nil || string(text) != want {
			t.Errorf("%v: got %s, want %s", class, text, want)
		}
	}
}

func TestSchemasGetTheTypeThatTheProtocolWants(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object","x":1.10}`:                               `{"type":"object","x":1.10}`,
		`{"properties":{"b":{},"a":{}}}`:                           `{"type":"object","properties":{"b":{},"a":{}}}`,
		`{"$ref":"#/$defs/a","type":["object","null"],"$defs":{}}`: `{"type":"object","$ref":"#/$defs/a","$defs":{}}`,
		`{}`:   `{"type":"object"}`,
		`true`: `{"type":"object"}`,
		``:     `{"type":"object"}`,
		`{"a`:  `{"type":"object"}`,
	} {
		if got := string(objectSchema(text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
