package mcpbackend

import (
	"encoding/base64"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

const maxUnknownBytes = 1 << 10 // of a block of a kind that is not known

// blockOf makes one block of content; nil where it says nothing.
func blockOf(block []byte) *toolgatev1.ContentBlock {
	kind, _ := rawjson.Get(block, "type")
	switch rawjson.Text(kind) {
	case "text":
		return textBlock(member(block, "text"))
	case "image":
		if blob := blobOf(block, "data"); blob != nil {
			return &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Image{Image: blob}}
		}
	case "audio":
		if blob := blobOf(block, "data"); blob != nil {
			return &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Audio{Audio: blob}}
		}
	case "resource":
		if resource, found := rawjson.Get(block, "resource"); found {
			return resourceBlock(resource)
		}
	case "resource_link":
		return resourceBlock(block)
	}
	text := string(rawjson.AppendCompact(nil, block))
	return textBlock(strings.ToValidUTF8(text[:min(len(text), maxUnknownBytes)], ""))
}

func textBlock(text string) *toolgatev1.ContentBlock {
	if text == "" {
		return nil
	}
	return &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: text}}}
}

// resourceBlock reads a resource, or a link to one.
func resourceBlock(resource []byte) *toolgatev1.ContentBlock {
	made := &toolgatev1.ResourceBlock{
		Uri: member(resource, "uri"), MimeType: member(resource, "mimeType"), Text: member(resource, "text"),
	}
	if blob := blobOf(resource, "blob"); blob != nil {
		made.Data = blob.GetData()
	}
	return &toolgatev1.ContentBlock{Block: &toolgatev1.ContentBlock_Resource{Resource: made}}
}

// blobOf decodes base64; nil where there is none, or half of it.
func blobOf(object []byte, name string) *toolgatev1.BlobBlock {
	text := strings.TrimRight(member(object, name), "=")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return nil
	}
	return &toolgatev1.BlobBlock{Data: data, MimeType: member(object, "mimeType")}
}

// member is the text of a member; empty where there is none.
func member(object []byte, name string) string {
	value, found := rawjson.Get(object, name)
	if !found || rawjson.KindOf(value) != rawjson.String {
		return ""
	}
	return strings.ToValidUTF8(rawjson.Text(value), "\uFFFD")
}
