package check

import (
	"cmp"
	"slices"
	"strings"

	"toolgate.dev/toolgate/server/catalog"
)

// Change is one thing that differs.
type Change struct {
	Rule     string // its stable id, see Rules
	Breaking bool
	Tool     string // empty: the whole catalogue
	// Field is the argument that it is about, `a.b[].c`; empty: the tool.
	Field   string
	Message string
	// File, Line and Column are where: in the new file, or in the old one of what
	// is gone.
	File         string
	Line, Column int
}

// Rule is one kind of change.
type Rule struct {
	ID       string
	Breaking bool
	Title    string
}

// Rules lists all kinds, those that break first.
func Rules() []Rule { return rules }

var rules = []Rule{
	{toolRemoved, true, "A tool is gone."},
	{toolRenamed, true, "A tool has another name."},
	{effectChanged, true, "What a call does to the world changed: what is repeated, and what people let a model do alone, hangs on it."},
	{argumentRequired, true, "An argument must be named now."},
	{argumentRemoved, true, "An argument is gone."},
	{argumentsClosed, true, "Arguments that are not declared are refused now."},
	{typeChanged, true, "A value of another type is wanted."},
	{enumNarrowed, true, "A value is no longer accepted."},
	{boundsTightened, true, "A bound is tighter."},
	{patternChanged, true, "Another pattern is demanded."},
	{formatChanged, true, "Another format is demanded."},
	{unionNarrowed, true, "One of several forms is no longer accepted."},
	{schemaChanged, true, "A part of a schema changed that can't be compared."},
	{limitLowered, true, "A limit of calls, rejections or sizes is lower."},
	{errorClassChanged, true, "A failure has another class: callers do something else about it."},
	{errorCodeRemoved, true, "A code is no longer given."},
	{unblockRemoved, true, "A failure no longer names the tool that unblocks it."},
	{fallbackRemoved, true, "A fallback is gone."},
	{alternativesRemoved, true, "Alternatives are no longer looked up."},
	{verificationRemoved, true, "Unknown outcomes of a write can no longer be settled."},
	{idempotencyRemoved, true, "A write whose outcome is unknown is no longer repeated."},
	{toolAdded, false, "A tool is new."},
	{argumentAdded, false, "An argument is new, and may be left out."},
	{argumentOptional, false, "An argument may be left out now."},
	{schemaWidened, false, "More is accepted."},
	{descriptionChanged, false, "A description changed."},
	{requestChanged, false, "The call goes elsewhere, or is written otherwise."},
	{errorsChanged, false, "Failures are diagnosed otherwise."},
	{waysAdded, false, "A fallback, a lookup, a verification or an idempotency key is new."},
	{numbersChanged, false, "Waits, attempts or places in a queue changed."},
	{resultChanged, false, "What is known of answers changed: which list is cut, what may be asked again and again."},
}

// The ids of the rules.
const (
	toolRemoved         = "tool-removed"
	toolRenamed         = "tool-renamed"
	effectChanged       = "effect-changed"
	argumentRequired    = "argument-required"
	argumentRemoved     = "argument-removed"
	argumentsClosed     = "arguments-closed"
	typeChanged         = "type-changed"
	enumNarrowed        = "enum-narrowed"
	boundsTightened     = "bounds-tightened"
	patternChanged      = "pattern-changed"
	formatChanged       = "format-changed"
	unionNarrowed       = "union-narrowed"
	schemaChanged       = "schema-changed"
	limitLowered        = "limit-lowered"
	errorClassChanged   = "error-class-changed"
	errorCodeRemoved    = "error-code-removed"
	unblockRemoved      = "unblock-removed"
	fallbackRemoved     = "fallback-removed"
	alternativesRemoved = "alternatives-removed"
	verificationRemoved = "verification-removed"
	idempotencyRemoved  = "idempotency-removed"
	toolAdded           = "tool-added"
	argumentAdded       = "argument-added"
	argumentOptional    = "argument-optional"
	schemaWidened       = "schema-widened"
	descriptionChanged  = "description-changed"
	requestChanged      = "request-changed"
	errorsChanged       = "errors-changed"
	waysAdded           = "ways-added"
	numbersChanged      = "numbers-changed"
	resultChanged       = "result-changed"
)

func breaks(rule string) bool {
	for _, known := range rules {
		if known.ID == rule {
			return known.Breaking
		}
	}
	return true
}

// Compare lists what differs between two catalogues, breaking changes first, each
// kind in the order of the files. Both must have been read without problems.
func Compare(before, after *catalog.Reading) []Change {
	c := &comparison{before: before, after: after}
	c.tools()
	slices.SortStableFunc(c.changes, func(a, b Change) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.changes
}

func rank(c Change) int {
	if c.Breaking {
		return 0
	}
	return 1
}

// comparison collects changes.
type comparison struct {
	before, after *catalog.Reading
	changes       []Change
}

// pair is one tool, before and after.
type pair struct {
	*comparison

	old, now catalog.Entry
}

// add reports a change of a tool at a place of its entry in the new file.
func (p *pair) add(rule, field, message string, steps ...any) {
	p.addIn(p.after, p.now.Index, Change{Rule: rule, Tool: p.now.Written.GetName(), Field: field, Message: message}, steps...)
}

// gone reports a change at a place of the tool's entry in the old file.
func (p *pair) gone(rule, field, message string, steps ...any) {
	p.addIn(p.before, p.old.Index, Change{Rule: rule, Tool: p.old.Written.GetName(), Field: field, Message: message}, steps...)
}

func (c *comparison) addIn(file *catalog.Reading, index int, change Change, steps ...any) {
	change.Breaking, change.File = breaks(change.Rule), file.Name
	change.Line, change.Column = file.Locate(append([]any{"tools", index}, steps...)...)
	c.changes = append(c.changes, change)
}
