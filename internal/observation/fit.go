package observation

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// MaxResponse is the bound of an encoded response, in bytes, whatever is
// configured: it stays below the 4 MiB that gRPC clients read by default, with
// room for the envelope of a stream.
const MaxResponse = 3<<20 + 512<<10

// envelope is what a response adds to its result: tags, lengths, a stream's
// index.
const envelope = 64

// Fit bounds a result and makes its texts valid UTF-8, which a message needs to
// be sent at all: the same message where there is nothing to do, else a copy. Its
// JSON is cut between values, its texts between runes; blobs that do not fit are
// left out, and it is marked as truncated.
func Fit(r *toolgatev1.ToolResult) *toolgatev1.ToolResult {
	r = valid(r)
	if proto.Size(r) <= MaxResponse-envelope {
		return r
	}
	fitted := &toolgatev1.ToolResult{
		Coercions: r.GetCoercions(), Attempts: r.GetAttempts(), Returned: r.GetReturned(), Matched: r.Matched, Truncated: true,
	}
	if proto.Size(fitted) > MaxResponse/8 {
		fitted.Coercions = nil
	}
	left := MaxResponse - envelope - proto.Size(fitted)
	blocks := 0
	for _, block := range r.GetContent() {
		blocks += proto.Size(block)
	}
	// Both forms of an answer get their share; what one leaves the other takes.
	cutStructured(fitted, r.GetStructuredJson(), left-min(blocks, left/2))
	left -= len(fitted.GetStructuredJson()) + envelope
	for _, block := range r.GetContent() {
		if block = fitBlock(block, left); block == nil {
			continue
		}
		left -= proto.Size(block) + envelope
		fitted.Content = append(fitted.Content, block)
	}
	return fitted
}

func cutStructured(r *toolgatev1.ToolResult, text string, max int) {
	if len(text) <= max {
		r.StructuredJson = text
		return
	}
	if !json.Valid([]byte(text)) {
		return
	}
	cut := cutValue([]byte(text), max)
	if rawjson.KindOf(cut) == rawjson.Array {
		r.Returned = 0
		for range rawjson.Items(cut) {
			r.Returned++
		}
	}
	r.StructuredJson = string(cut)
}

// fitBlock returns a block that takes at most left bytes; nil: nothing of it fits.
func fitBlock(block *toolgatev1.ContentBlock, left int) *toolgatev1.ContentBlock {
	if proto.Size(block)+envelope <= left {
		return block
	}
	text := block.GetText().GetText()
	if room := left - 2*envelope; text != "" && room > 0 {
		return &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: cutRunes(text, room)}}}
	}
	return nil
}

// valid returns the result with all its texts valid UTF-8.
func valid(r *toolgatev1.ToolResult) *toolgatev1.ToolResult {
	ok := utf8.ValidString(r.GetStructuredJson())
	for _, block := range r.GetContent() {
		ok = ok && utf8.ValidString(block.GetText().GetText()) && validResource(block.GetResource())
	}
	if ok {
		return r
	}
	clean := proto.CloneOf(r)
	clean.StructuredJson = replaceInvalid(r.GetStructuredJson())
	for _, block := range clean.GetContent() {
		if text := block.GetText(); text != nil {
			text.Text = replaceInvalid(text.GetText())
		}
		if resource := block.GetResource(); resource != nil {
			resource.Uri, resource.MimeType, resource.Text = replaceInvalid(resource.GetUri()), replaceInvalid(resource.GetMimeType()), replaceInvalid(resource.GetText())
		}
	}
	return clean
}

func validResource(r *toolgatev1.ResourceBlock) bool {
	return utf8.ValidString(r.GetUri()) && utf8.ValidString(r.GetMimeType()) && utf8.ValidString(r.GetText())
}

func replaceInvalid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
