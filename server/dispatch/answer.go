package dispatch

import (
	"bytes"
	"encoding/json"
	"mime"
	"strings"
	"unicode/utf8"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// answer makes the result of a successful reply. It shares no memory with the
// reply's buffer.
func answer(tool *interceptors.Tool, reply *interceptors.Reply) *toolgatev1.ToolResult {
	if reply.Result != nil {
		return bounded(tool, reply.Result)
	}
	limit := int(tool.Policy.MaxResultBytes)
	body := bytes.TrimSpace(reply.Body)
	kind := mediaType(reply)
	switch {
	case len(body) == 0:
		return &toolgatev1.ToolResult{}
	case looksJSON(kind, body):
		if result, ok := jsonAnswer(tool, body, reply.BodySize, limit); ok {
			return result
		}
		return textAnswer(reply.Body, reply.BodySize, limit)
	case isText(kind, reply.Body):
		return textAnswer(reply.Body, reply.BodySize, limit)
	default:
		return binaryAnswer(kind, reply, limit)
	}
}

// bounded cuts the answer of a back end that speaks in content blocks.
func bounded(tool *interceptors.Tool, result *toolgatev1.ToolResult) *toolgatev1.ToolResult {
	limit := int(tool.Policy.MaxResultBytes)
	if text := result.GetStructuredJson(); text != "" {
		if cut, ok := jsonAnswer(tool, []byte(text), 0, limit); ok {
			result.StructuredJson, result.Truncated = cut.StructuredJson, result.Truncated || cut.Truncated
			result.Returned, result.Matched = cut.Returned, cut.Matched
		}
	}
	left := limit - len(result.GetStructuredJson())
	kept := result.Content[:0]
	for _, block := range result.GetContent() {
		size := blockSize(block)
		if text := block.GetText(); size > left && text != nil && left > 0 {
			text.Text = cutText(text.GetText(), left)
			size = len(text.GetText())
			result.Truncated = true
		}
		if size > left {
			result.Truncated = true
			continue
		}
		left -= size
		kept = append(kept, block)
	}
	result.Content = kept
	return result
}

func blockSize(block *toolgatev1.ContentBlock) int {
	return len(block.GetText().GetText()) + len(block.GetImage().GetData()) + len(block.GetAudio().GetData()) +
		len(block.GetResource().GetText()) + len(block.GetResource().GetData())
}

func jsonAnswer(tool *interceptors.Tool, body []byte, size int64, limit int) (*toolgatev1.ToolResult, bool) {
	whole := size == 0
	if whole && !json.Valid(body) {
		return nil, false
	}
	cut := cutJSON(body, whole, limit, tool.Results)
	if !whole && !json.Valid(cut.text) {
		return nil, false
	}
	result := &toolgatev1.ToolResult{
		StructuredJson: string(cut.text), Returned: cut.returned, Matched: cut.matched, Truncated: cut.truncated,
	}
	return result, true
}

func textAnswer(body []byte, size int64, limit int) *toolgatev1.ToolResult {
	text := strings.ToValidUTF8(string(body), "\uFFFD")
	shown := cutText(text, limit)
	return &toolgatev1.ToolResult{
		Content: []*toolgatev1.ContentBlock{{Block: &toolgatev1.ContentBlock_Text{
			Text: &toolgatev1.TextBlock{Text: shown},
		}}},
		Truncated: size != 0 || len(shown) < len(text),
	}
}

// binaryAnswer passes on what is not text. Half an image helps nobody: what is
// larger than the limit is left out and declared.
func binaryAnswer(kind string, reply *interceptors.Reply, limit int) *toolgatev1.ToolResult {
	if reply.BodySize != 0 || len(reply.Body) > limit {
		return &toolgatev1.ToolResult{Truncated: true}
	}
	blob := &toolgatev1.BlobBlock{Data: bytes.Clone(reply.Body), MimeType: kind}
	block := &toolgatev1.ContentBlock{}
	switch {
	case strings.HasPrefix(kind, "image/"):
		block.Block = &toolgatev1.ContentBlock_Image{Image: blob}
	case strings.HasPrefix(kind, "audio/"):
		block.Block = &toolgatev1.ContentBlock_Audio{Audio: blob}
	default:
		block.Block = &toolgatev1.ContentBlock_Resource{Resource: &toolgatev1.ResourceBlock{MimeType: kind, Data: blob.Data}}
	}
	return &toolgatev1.ToolResult{Content: []*toolgatev1.ContentBlock{block}}
}

const mediaJSON = "application/json"

func mediaType(reply *interceptors.Reply) string {
	values := reply.Header["Content-Type"]
	if len(values) == 0 {
		return ""
	}
	// Nearly every answer has this one, and to parse it would cost as much as all
	// else that is done with a small one.
	if rest, ok := strings.CutPrefix(values[0], mediaJSON); ok && (rest == "" || rest[0] == ';') {
		return mediaJSON
	}
	kind, _, err := mime.ParseMediaType(values[0])
	if err != nil {
		return ""
	}
	return kind
}

func looksJSON(kind string, body []byte) bool {
	if kind == mediaJSON || strings.HasSuffix(kind, "+json") || kind == "text/json" {
		return true
	}
	undeclared := kind == "" || kind == "text/plain" || kind == "application/octet-stream"
	return undeclared && (body[0] == '{' || body[0] == '[') && json.Valid(body)
}

func isText(kind string, body []byte) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "xml") || kind == "application/x-www-form-urlencoded" {
		return true
	}
	declaredBinary := strings.HasPrefix(kind, "image/") || strings.HasPrefix(kind, "audio/") || strings.HasPrefix(kind, "video/")
	return !declaredBinary && utf8.Valid(body) && bytes.IndexByte(body, 0) < 0
}

// cutText cuts at a rune.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
