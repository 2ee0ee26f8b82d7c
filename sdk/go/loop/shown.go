package loop

import (
	"fmt"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// shown is what a model reads of a result: its text, the texts of its resources,
// and of what can't be read that it came.
func shown(result *toolgate.Result) string {
	var lines []string
	add := func(line string) {
		if line != "" {
			lines = append(lines, line)
		}
	}
	add(result.Text())
	for _, content := range result.GetContent() {
		switch block := content.GetBlock().(type) {
		case *toolgatev1.ContentBlock_Image:
			add(blob(block.Image))
		case *toolgatev1.ContentBlock_Audio:
			add(blob(block.Audio))
		case *toolgatev1.ContentBlock_Resource:
			if text := block.Resource.GetText(); text != "" {
				add(text)
			} else {
				add("[" + block.Resource.GetUri() + "]")
			}
		}
	}
	return strings.Join(lines, "\n")
}

func blob(block *toolgatev1.BlobBlock) string {
	return fmt.Sprintf("[%s, %d bytes]", block.GetMimeType(), len(block.GetData()))
}
