package loop

import (
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

func TestAModelReadsOfEveryBlock(t *testing.T) {
	resource := func(text string) *toolgatev1.ContentBlock {
		return &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Resource{Resource: &toolgatev1.ResourceBlock{Uri: "file:///a", Text: text}}}
	}
	blob := &toolgatev1.BlobBlock{MimeType: "image/png", Data: []byte("abc")}
	result := &toolgate.Result{ToolResult: &toolgatev1.ToolResult{Content: []*toolgatev1.ContentBlock{
		{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: "Here."}}},
		{Block: &toolgatev1.ContentBlock_Image{Image: blob}},
		{Block: &toolgatev1.ContentBlock_Audio{Audio: blob}},
		resource("a file"), resource(""), {},
	}}}
	if text := shown(result); text != "Here.\n[image/png, 3 bytes]\n[image/png, 3 bytes]\na file\n[file:///a]" {
		t.Errorf("reads %q", text)
	}
}
