package openapi

import (
	"slices"
	"strings"
)

// Selection picks operations. A pattern is matched against an operation's id, its
// `METHOD /path` and the name of its tool; `*` stands for any run of characters.
type Selection struct {
	Only   []string // patterns of what is taken; empty: everything
	Except []string // patterns of what is left out of that
	Tags   []string // of these, only operations with one of these tags; empty: all
}

// chooser is a Selection that remembers which of its words fitted anything.
type chooser struct {
	Selection

	fitted map[string]bool
}

func newChooser(s Selection) *chooser { return &chooser{Selection: s, fitted: map[string]bool{}} }

// takes decides about one operation.
func (c *chooser) takes(op *operation, name string) bool {
	tagged := len(c.Tags) == 0
	for _, tag := range op.tags {
		if slices.Contains(c.Tags, tag) {
			c.fitted[tag], tagged = true, true
		}
	}
	called := []string{op.id, op.method + " " + op.path, name}
	taken := len(c.Only) == 0
	if c.fits(c.Only, called) {
		taken = true
	}
	if c.fits(c.Except, called) {
		taken = false
	}
	return taken && tagged
}

func (c *chooser) fits(patterns, called []string) (any bool) {
	for _, pattern := range patterns {
		for _, text := range called {
			if text != "" && Matches(withMethod(pattern), text) {
				c.fitted[pattern], any = true, true
			}
		}
	}
	return any
}

// withMethod writes the method of `get /pets` as operations do.
func withMethod(pattern string) string {
	method, path, found := strings.Cut(pattern, " ")
	if !found || !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "*") {
		return pattern
	}
	return strings.ToUpper(method) + " " + path
}

// idle lists the words that fitted nothing.
func (c *chooser) idle() (words []string) {
	for _, word := range slices.Concat(c.Only, c.Except, c.Tags) {
		if !c.fitted[word] {
			words = append(words, word)
		}
	}
	return words
}

// Matches reports whether the whole text fits a pattern.
func Matches(pattern, text string) bool {
	head, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == text
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	text = text[len(head):]
	parts := strings.Split(rest, "*")
	for _, part := range parts[:len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
