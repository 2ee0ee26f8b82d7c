package redact

import (
	"regexp"
	"strings"
)

// compactTrace drops the frames of stack traces and keeps what failed: the
// words in front of the trace, the outermost exception and the innermost cause
// of chains and groups. Text without frames stays as it is.
func compactTrace(s string) string {
	if strings.IndexByte(s, '\n') < 0 || !mayTrace(s) {
		return s
	}
	t := tracer{}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		t.line(line, next)
	}
	if !t.found {
		return s
	}
	return t.text()
}

// mayTrace is the cheap first look for what every trace holds.
func mayTrace(s string) bool {
	for _, sign := range []string{"\tat ", " at ", "\nat ", "File \"", "Traceback (", "goroutine ", "#0 ", ":in `", ":in '", "panicked at", ".java:", "Stack trace:", ".exs:", ".ex:", "\tfrom ", "@http", "Caused by:", "rust_begin_unwind"} {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}

// segment is one exception of a chain.
type segment struct {
	lines []string
	// outer: it was thrown because of the one before, which is nearer the cause.
	outer bool
	// aside: it is not of the chain (suppressed).
	aside bool
}

// tracer reads a text line by line.
type tracer struct {
	preface  []string
	segments []segment
	found    bool
	group    bool // inside a Python exception group: lines have a margin
	indent   int  // of the last Python frame; what stands deeper is its source
	inFrame  bool
}

func (t *tracer) line(raw, next string) {
	if t.group || strings.Contains(raw, "Exception Group Traceback") {
		t.group = true
		raw = groupMargin.ReplaceAllString(raw, "")
	}
	line := strings.TrimSpace(raw)
	depth := len(raw) - len(strings.TrimLeft(raw, " \t"))
	switch {
	case line == "":
		return
	case t.inFrame && depth > t.indent && !strings.HasPrefix(line, "File "):
		return
	}
	t.inFrame = false
	switch {
	case strings.HasPrefix(line, `File "`) && pythonFrame.MatchString(line):
		t.found, t.inFrame, t.indent = true, true, depth
	case strings.Trim(line, "~^ ") == "":
		t.dropSource()
	case isHeader(line):
		t.header(line)
	case t.link(line):
	case isFrame(line, strings.TrimSpace(next)):
		t.found = true
	default:
		t.say(t.message(line))
	}
}

// header notes where a trace begins. What stood before the first one is the
// preface of the whole, unless it is an exception of a chain.
func (t *tracer) header(line string) {
	if strings.HasPrefix(line, "Traceback") || strings.HasPrefix(line, "Exception Group Traceback") {
		t.found = true
		if len(t.segments) == 1 && len(t.preface) == 0 && !t.segments[0].outer {
			t.preface, t.segments = t.segments[0].lines, nil
		}
	}
}

// dropSource takes back the line of source that a caret points into, and the
// place in front of it.
func (t *tracer) dropSource() {
	if len(t.segments) == 0 {
		return
	}
	last := &t.segments[len(t.segments)-1]
	if n := len(last.lines); n > 0 {
		last.lines = last.lines[:n-1]
		if n > 1 && sourcePlace.MatchString(last.lines[n-2]) {
			last.lines = last.lines[:n-2]
		}
	}
}

// link starts a new segment at a line that joins two exceptions.
func (t *tracer) link(line string) bool {
	switch {
	case strings.HasPrefix(line, "During handling of the above exception"), strings.HasPrefix(line, "The above exception was the direct cause"):
		t.segments = append(t.segments, segment{outer: true})
		t.found = true
	case strings.HasPrefix(line, "Next ") && len(t.segments) > 0 && phpNext.MatchString(line):
		t.segments = append(t.segments, segment{outer: true, lines: []string{strings.TrimPrefix(line, "Next ")}})
	case strings.HasPrefix(line, "Suppressed: "):
		t.segments = append(t.segments, segment{aside: true})
	case groupRule.MatchString(line):
		t.segments = append(t.segments, segment{})
	default:
		cause := innerLink.FindStringSubmatch(line)
		if cause == nil {
			return false
		}
		t.segments = append(t.segments, segment{})
		if cause[1] != "" {
			t.say(cause[1])
		}
	}
	return true
}

// message takes the place in front of a message off, and the panic's words off
// its place.
func (t *tracer) message(line string) string {
	if m := rustPanic.FindStringSubmatch(line); m != nil {
		t.found = true
		return m[1]
	}
	if m := rubyHead.FindStringSubmatch(line); m != nil {
		t.found = true
		if m[2] == "" {
			return m[1]
		}
		return m[2] + ": " + m[1]
	}
	if m := numbered.FindStringSubmatch(line); m != nil && len(t.segments) > 1 {
		// anyhow numbers the causes, the innermost last
		t.segments = append(t.segments, segment{})
		return m[1]
	}
	return line
}

func (t *tracer) say(line string) {
	if line == "" {
		return
	}
	if len(t.segments) == 0 {
		t.segments = append(t.segments, segment{})
	}
	last := &t.segments[len(t.segments)-1]
	// .NET writes the chain on one line as well.
	for {
		outer, inner, found := strings.Cut(line, " ---> ")
		last.lines = append(last.lines, outer)
		if !found {
			return
		}
		t.segments = append(t.segments, segment{})
		last = &t.segments[len(t.segments)-1]
		line = inner
	}
}

// The shares of a chain's parts, in bytes: together they fit a message.
const (
	prefaceShare = 120
	outerShare   = 140
	innerShare   = 230
)

func (t *tracer) text() string {
	var chain []string
	outerLinks := false
	for _, s := range t.segments {
		if text := strings.Join(s.lines, " "); text != "" && !s.aside {
			chain = append(chain, text)
			outerLinks = outerLinks || s.outer
		}
	}
	preface := strings.Join(t.preface, " ")
	switch len(chain) {
	case 0:
		return preface
	case 1:
		return join(preface, chain[0])
	}
	outer, inner := chain[0], chain[len(chain)-1]
	if outerLinks {
		outer, inner = inner, outer
	}
	preface = shorten(preface, prefaceShare)
	if strings.Contains(outer, inner) {
		return join(preface, outer)
	}
	return join(preface, shorten(outer, outerShare)+"; caused by "+shorten(inner, innerShare))
}

func join(a, b string) string {
	if a == "" || strings.Contains(b, a) {
		return b
	}
	return a + " " + b
}

// shorten cuts at a space.
func shorten(s string, max int) string {
	if len(s) <= max {
		return s
	}
	end := strings.LastIndexByte(s[:max], ' ')
	if end < max/2 {
		end = max
		for end > 0 && s[end]&0xc0 == 0x80 {
			end--
		}
	}
	return strings.TrimRight(s[:end], " ,;:") + "…"
}

// escapedTrace matches a trace whose line breaks an encoder wrote out.
var escapedTrace = regexp.MustCompile(`\\n(?:\\t|\s)*(?:at |File \\*"|Caused by|Traceback|#\d+ |\.\.\. \d+ more|goroutine \d|from /|During handling)`)

var unescaper = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\t`, "\t", `\"`, `"`)

func unescapeTrace(s string) string {
	if strings.Contains(s, `\n`) && escapedTrace.MatchString(s) {
		return unescaper.Replace(s)
	}
	return s
}
