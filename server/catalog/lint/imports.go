package lint

import (
	"fmt"
	"net/http"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/catalog"
)

// imports looks at tools that a document describes: one finding for all of a kind,
// since they have one place.
func (c *checker) imports() {
	for _, document := range c.reading.Imports {
		at := c.doc.root.at("openapi", document.Index)
		var reads, writes []string
		for _, tool := range document.Tools {
			switch {
			case readingVerb(tool.Written) != "":
				reads = append(reads, tool.Written.GetName())
			case runsOnce(tool) && tool.Written.GetIdempotencyKey() == nil && tool.Written.GetVerifyWith() == nil:
				writes = append(writes, tool.Written.GetName())
			}
		}
		if len(reads) > 0 {
			c.add(readAsWrite, c.doc.content(at), many(reads)+" by name a read, and a write by the method",
				"effect: read in tools, or x-toolgate-effect in the document")
		}
		if len(writes) > 0 {
			c.add(writeUnprotected, c.doc.content(at), many(writes)+" a write that may have happened when its connection breaks, and nobody can find out",
				`tools: {"Post*": {idempotency_key: {}}} where the provider takes one, verify_with or effect: idempotent by name`)
		}
	}
}

// runsOnce is interceptors.Tool.RunsOnce of what is written.
func runsOnce(tool catalog.ImportedTool) bool {
	switch tool.Written.GetEffect() {
	case catalogv1.Effect_EFFECT_READ, catalogv1.Effect_EFFECT_IDEMPOTENT:
		return false
	case catalogv1.Effect_EFFECT_WRITE:
		return true
	}
	return tool.Method == http.MethodPost || tool.Method == http.MethodPatch
}

const maxNamed = 5

// many names the first few of many tools, as the subject of a sentence.
func many(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(names) == 1 {
		return text + " is"
	}
	return text + " are each"
}
