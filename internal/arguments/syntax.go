package arguments

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// syntaxError is where a text stops being JSON (RFC 8259).
type syntaxError struct {
	at       int    // byte offset
	found    string // what stands there
	expected string // what may stand there
}

// position returns line and column, both from 1; columns count characters.
func position(text string, at int) (line, column int) {
	before := text[:min(at, len(text))]
	line = 1 + strings.Count(before, "\n")
	last := strings.LastIndexByte(before, '\n') + 1
	return line, 1 + utf8.RuneCountInString(before[last:])
}

// describe says where, what and what else.
func (e *syntaxError) describe(text string) string {
	line, column := position(text, e.at)
	return fmt.Sprintf("line %d, column %d (byte %d): found %s, expected %s", line, column, e.at, e.found, e.expected)
}

// fail makes the error at the current place. What is found is named, never
// quoted at length: it may be part of a secret.
func (c *canon) fail(expected string) *syntaxError {
	return &syntaxError{at: c.pos, found: foundAt(c.src, c.pos), expected: expected}
}

func foundAt(text string, at int) string {
	if at >= len(text) {
		return "the end of the text"
	}
	switch b := text[at]; {
	case b == '\n':
		return "a raw line break"
	case b == '\t':
		return "a raw tab"
	case b < ' ':
		return fmt.Sprintf("the control character U+%04X", b)
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	if r == utf8.RuneError && size <= 1 {
		return "a byte that is not UTF-8"
	}
	if r > '~' {
		return fmt.Sprintf("the character U+%04X", r)
	}
	return "'" + string(r) + "'"
}

// misspelt are beginnings that other languages write where JSON has a value,
// with what JSON writes.
var misspelt = []struct{ start, expected string }{
	{"'", "a string in double quotes"},
	{"`", "bare JSON, without a code fence"},
	{"True", "true in lower case"},
	{"TRUE", "true in lower case"},
	{"False", "false in lower case"},
	{"FALSE", "false in lower case"},
	{"None", "null"},
	{"NULL", "null"},
	{"Null", "null"},
	{"undefined", "null, or no such member"},
	{"NaN", "a number; JSON has no NaN"},
	{"Infinity", "a number; JSON has no Infinity"},
	{"-Infinity", "a number; JSON has no Infinity"},
	{"+", "a number without a plus sign"},
	{".", "a number with a digit before the point"},
	{"//", "a value; JSON has no comments"},
	{"/*", "a value; JSON has no comments"},
	{"#", "a value; JSON has no comments"},
	{"}", "a value; JSON has no trailing commas"},
	{"]", "a value; JSON has no trailing commas"},
}

func (c *canon) noValue() *syntaxError {
	for _, m := range misspelt {
		if strings.HasPrefix(c.src[c.pos:], m.start) {
			return c.fail(m.expected)
		}
	}
	return c.fail("a JSON value")
}
