package diagnose

import (
	"slices"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// finding is what the rungs found out, raw: nothing of it has been redacted.
type finding struct {
	codes   []string // the first is reported
	message string
	parts   []string // further sentences of the provider

	violations []violation
	facts      []fact

	alternatives     []*toolgatev1.Alternative
	moreAlternatives bool

	shape     meaning // what the envelope's shape suggests; class 0: nothing
	shapeSaid string  // the envelope's name
	hiddenIn  bool    // a failure inside a 2xx
	page      string  // title of a page, where the body was one

	wait     hint // of the vocabulary or the envelope, before the headers
	waitElse float64

	meaning     meaning // the class that stands, and what goes with it
	by          toolgatev1.ClassifiedBy
	status      statusEntry
	noRepeat    bool // the upstream forbade repetition
	account     bool
	blockedBy   string
	unblockWith string
	partial     bool
	requested   string // JSON object
	factsJSON   string // a rule's, in place of facts
}

// violation is one fault in the arguments, in the provider's spelling.
type violation struct {
	field    string
	mapped   bool // field is the tool's own path already
	code     string
	problem  string
	value    *node
	accepted []string
	format   string
	span     string
}

// fact is one number or word of the boundary.
type fact struct {
	name string
	node *node
}

func (f *finding) decided() bool { return f.meaning.class != 0 }

// decide sets the class unless a higher rung did.
func (f *finding) decide(m meaning, by toolgatev1.ClassifiedBy) {
	if f.decided() || m.class == 0 {
		return
	}
	f.meaning, f.by = m, by
	if f.blockedBy == "" {
		f.blockedBy = m.blockedBy
	}
}

// suggest keeps what an envelope's shape says of the class.
func (f *finding) suggest(list string) {
	if f.shape.class == 0 {
		f.shape = meanings[list]
	}
}

// addCode appends a code; texts that are sentences are none.
func (f *finding) addCode(s string) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 256 || strings.ContainsAny(s, " \t\n<>{}") {
		return
	}
	if !slices.Contains(f.codes, s) {
		f.codes = append(f.codes, s)
	}
}

// addMessage keeps the first sentence as the message and later ones that say
// more as parts.
func (f *finding) addMessage(s string) {
	s = strings.TrimSpace(s)
	if s == "" {
		return
	}
	if f.message == "" {
		f.message = s
		return
	}
	if saysMore(f.message, s) && len(f.parts) < 4 {
		for _, part := range f.parts {
			if !saysMore(part, s) {
				return
			}
		}
		f.parts = append(f.parts, s)
	}
}

// saysMore reports whether b holds something that a does not.
func saysMore(a, b string) bool {
	a, b = strings.ToLower(strings.Trim(a, ". \n")), strings.ToLower(strings.Trim(b, ". \n"))
	return b != "" && !strings.Contains(a, b)
}

func (f *finding) addFact(name string, n *node) {
	if !n.present() || len(f.facts) >= 12 || name == "" {
		return
	}
	for _, known := range f.facts {
		if known.name == name {
			return
		}
	}
	f.facts = append(f.facts, fact{name, n})
}

// addViolation appends a fault that names something.
func (f *finding) addViolation(v violation) {
	if v.field == "" && v.problem == "" || len(f.violations) >= 24 {
		return
	}
	f.violations = append(f.violations, v)
}

// sentence is the message with its parts, one text.
func (f *finding) sentence() string { return joinParts(f.message, f.parts) }

func joinParts(text string, parts []string) string {
	for _, part := range parts {
		switch {
		case part == "":
			continue
		case text == "":
		case strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?"):
			text += " "
		default:
			text += ": "
		}
		text += part
	}
	return text
}

// executedBy is what the status, the rung and the rule together say.
func (f *finding) executedBy() interceptors.Executed {
	if f.meaning.executed != interceptors.ExecutedUnknown {
		return f.meaning.executed
	}
	if f.status.maybe {
		return interceptors.ExecutedMaybe
	}
	return interceptors.ExecutedNo
}
