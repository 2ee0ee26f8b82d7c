package mcp

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
	"slices"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// The versions that brought a kind of content. Clients of an older one may refuse
// the whole result for a kind that they don't know.
const (
	versionOfAudio = "2025-03-26"
	versionOfLinks = "2025-06-18"
	versionOfAny   = "2026-07-28" // structuredContent other than objects
)

// succeeded is the result of a tool that answered.
func succeeded(result *toolgatev1.ToolResult, version string, program bool) *sdk.CallToolResult {
	out := &sdk.CallToolResult{Meta: sdk.Meta{MetaResult: aboutOf(result)}, Content: []sdk.Content{}}
	for _, block := range result.GetContent() {
		out.Content = append(out.Content, contentOf(block, version))
	}
	structure(out, result.GetStructuredJson(), version, program)
	if note := counted(result); note != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: note})
	}
	return out
}

// structure adds the JSON of the answer, once: as text, which every client shows
// its model with every digit. Beside text of the tool's own it is structured
// content, unless the text says the same.
func structure(out *sdk.CallToolResult, text, version string, program bool) {
	if text == "" {
		return
	}
	object := rawjson.KindOf([]byte(text)) == rawjson.Object
	fits := object || version >= versionOfAny
	texts := textsOf(out.Content)
	switch {
	case program && fits:
		out.StructuredContent = json.RawMessage(text)
	case len(texts) == 0:
		out.Content = slices.Insert(out.Content, 0, sdk.Content(&sdk.TextContent{Text: text}))
	case slices.ContainsFunc(texts, func(own string) bool { return sameJSON(own, text) }):
	case fits && version >= versionOfLinks:
		out.StructuredContent = json.RawMessage(text)
	default:
		out.Content = append(out.Content, &sdk.TextContent{Text: text})
	}
}

func textsOf(blocks []sdk.Content) (texts []string) {
	for _, block := range blocks {
		if text, ok := block.(*sdk.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts
}

// sameJSON compares as JSON does: neither space nor the order of members counts.
func sameJSON(a, b string) bool {
	decode := func(text string) (value any, err error) {
		decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
		decoder.UseNumber()
		err = decoder.Decode(&value)
		return value, err
	}
	if a == b {
		return true
	}
	first, err := decode(a)
	if err != nil {
		return false
	}
	second, err := decode(b)
	return err == nil && reflect.DeepEqual(first, second)
}

// counted tells the model that it doesn't see all; nothing else in the result
// would.
func counted(result *toolgatev1.ToolResult) string {
	more := result.Matched != nil && result.GetMatched() > result.GetReturned()
	if !result.GetTruncated() && !more {
		return ""
	}
	note := []byte{'{'}
	if result.GetTruncated() {
		note = rawjson.AppendMember(note, "truncated", []byte("true"))
	}
	if result.GetReturned() > 0 {
		note = rawjson.AppendMember(note, "returned", strconv.AppendUint(nil, result.GetReturned(), 10))
	}
	if result.Matched != nil {
		note = rawjson.AppendMember(note, "matched", strconv.AppendUint(nil, result.GetMatched(), 10))
	}
	return string(append(note, '}'))
}

// aboutOf is the result without the answer.
func aboutOf(result *toolgatev1.ToolResult) json.RawMessage {
	return protoJSON(&toolgatev1.ToolResult{
		Coercions: result.GetCoercions(), Attempts: result.GetAttempts(), Returned: result.GetReturned(),
		Matched: result.Matched, Truncated: result.GetTruncated(),
	})
}

func protoJSON(message proto.Message) json.RawMessage {
	text, err := protojson.Marshal(message)
	if err != nil { // text that is no UTF-8 can't be sent
		return json.RawMessage("{}")
	}
	return rawjson.AppendCompact(nil, text)
}

func contentOf(block *toolgatev1.ContentBlock, version string) sdk.Content {
	switch block := block.GetBlock().(type) {
	case *toolgatev1.ContentBlock_Image:
		return &sdk.ImageContent{Data: block.Image.GetData(), MIMEType: mediaType(block.Image.GetMimeType())}
	case *toolgatev1.ContentBlock_Audio:
		if version < versionOfAudio {
			return embedded(&toolgatev1.ResourceBlock{MimeType: block.Audio.GetMimeType(), Data: block.Audio.GetData()})
		}
		return &sdk.AudioContent{Data: block.Audio.GetData(), MIMEType: mediaType(block.Audio.GetMimeType())}
	case *toolgatev1.ContentBlock_Resource:
		return resourceOf(block.Resource, version)
	case *toolgatev1.ContentBlock_Text:
		return &sdk.TextContent{Text: block.Text.GetText()}
	}
	return &sdk.TextContent{} // a kind that a newer contract has
}

func resourceOf(resource *toolgatev1.ResourceBlock, version string) sdk.Content {
	here := resource.GetText() != "" || len(resource.GetData()) > 0
	switch {
	case here || resource.GetUri() == "":
		return embedded(resource)
	case version < versionOfLinks:
		return &sdk.TextContent{Text: resource.GetUri()}
	}
	name := path.Base(resource.GetUri())
	return &sdk.ResourceLink{URI: resource.GetUri(), Name: name, MIMEType: resource.GetMimeType()}
}

// nameless is the address of content that has none; the protocol wants one.
const nameless = "toolgate:result"

func embedded(resource *toolgatev1.ResourceBlock) sdk.Content {
	contents := &sdk.ResourceContents{URI: resource.GetUri(), MIMEType: resource.GetMimeType(), Text: resource.GetText()}
	if contents.URI == "" {
		contents.URI = nameless
	}
	if contents.Text == "" { // clients tell the two kinds by the field that is there
		contents.Blob = append([]byte{}, resource.GetData()...)
	}
	return &sdk.EmbeddedResource{Resource: contents}
}

func mediaType(kind string) string {
	if kind == "" {
		return "application/octet-stream"
	}
	return kind
}
