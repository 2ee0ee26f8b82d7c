package methods

import (
	"regexp"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// commentOf is what stands above a declaration, else beside it, on one line.
func commentOf(descriptor protoreflect.Descriptor) string {
	if descriptor.ParentFile() == nil {
		return ""
	}
	location := descriptor.ParentFile().SourceLocations().ByDescriptor(descriptor)
	if text := tidy(location.LeadingComments); text != "" {
		return text
	}
	return tidy(location.TrailingComments)
}

var (
	directive = regexp.MustCompile(`(?m)^\s*(buf:lint:|protolint:|@gotags|@inject_tag|clang-format|--\))[^\n]*$`)
	private   = regexp.MustCompile(`(?s)\(--.*?--\)`) // AIP-192: not for readers
	space     = regexp.MustCompile(`\s+`)
	fenced    = regexp.MustCompile("(?s)```.*?(```|$)")
	heading   = regexp.MustCompile(`(?m)^\s*#{1,6} `)
)

// prose is what a longer comment begins with: without its examples, up to its first
// heading.
func prose(comment string) string {
	comment = fenced.ReplaceAllString(comment, "")
	if at := heading.FindStringIndex(comment); at != nil && at[0] > 0 {
		comment = comment[:at[0]]
	}
	return comment
}

func tidy(comment string) string {
	comment = directive.ReplaceAllString(private.ReplaceAllString(prose(comment), ""), "")
	return strings.TrimSpace(space.ReplaceAllString(strings.ToValidUTF8(comment, ""), " "))
}

// shorten cuts a text to max bytes, behind a sentence where one ends in its second
// half.
func shorten(text string, max int) string {
	if len(text) <= max {
		return text
	}
	head := strings.ToValidUTF8(text[:max-len("…")], "")
	if end := strings.LastIndex(head, ". "); end > max/2 {
		return head[:end+1]
	}
	if end := strings.LastIndexByte(head, ' '); end > 0 {
		head = head[:end]
	}
	return strings.TrimRight(head, " ,;:") + "…"
}
