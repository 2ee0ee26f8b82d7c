package redact

import (
	"regexp"
	"strings"
)

// Lines of traces. Each expression is anchored and runs on one trimmed line.
var (
	pythonFrame = regexp.MustCompile(`^File "[^"]*", line \d+`)
	groupMargin = regexp.MustCompile(`^\s*[|+](?: |$)|^\s{0,6}\+-\+|^\s*\+-`)
	groupRule   = regexp.MustCompile(`^[+-]*-{8,} (?:\d+|\.\.\.) -{8,}$`)

	// JVM, with and without "at"; a marker of the module or jar may follow
	jvmFrame = regexp.MustCompile(`^(?:at )?(?:[\w.@-]+/{1,2})*[\w.$<>-]+\((?:[\w$ .-]+\.(?:java|kts?|scala|groovy|cljc?)(?::-?\d+)?|Native Method|Unknown Source|<generated>)\)(?: ~?\[[^\]]*\])?$`)
	jvmMore  = regexp.MustCompile(`^\.\.\. \d+ (?:more|common frames omitted)`)
	// JavaScript: V8, then the other engines
	v8Frame    = regexp.MustCompile(`^at (?:(?:async |new )?[^()]+ \()?(?:[^()]*:\d+:\d+|<anonymous>|native|index \d+|eval at .*)\)?$|^at (?:async )?[\w$.<>\[\] ]+ \((?:<anonymous>|native|index \d+|node:[^)]*|eval at .*)\)$`)
	geckoFrame = regexp.MustCompile(`^[\w$./<>*\[\]]*@(?:https?|file|resource|webpack|moz)[^\s]*:\d+(?::\d+)?$`)
	// .NET
	dotnetFrame = regexp.MustCompile(`^at [\w.<>\x60\[\],+|$]+(?:\.[\w<>\x60|\[\],$]+)+\(.*\)(?: in .*:line \d+)?$`)
	// Go: a location, and the function in front of it
	goPlace    = regexp.MustCompile(`^\S+\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?$`)
	goFunction = regexp.MustCompile(`^(?:created by )?[\w./*()\[\]·{}-]+(?:\(.*\)|in goroutine \d+)?(?: in goroutine \d+)?$`)
	goHeader   = regexp.MustCompile(`^goroutine \d+ \[[^\]]*\]:$|^\[signal \w+:?.*\]$|^exit status \d+$`)
	// Ruby
	rubyFrame = regexp.MustCompile("^(?:\\d+: )?(?:from )?\\S+:\\d+:in [`'][^`']*'$")
	rubyHead  = regexp.MustCompile("^\\S+\\.r[bu]:\\d+:in [`'][^`']*': (.*?)(?: \\(([A-Z][\\w:]*)\\))?$")
	// PHP
	phpFrame = regexp.MustCompile(`^#\d+ (?:.*\(\d+\)(?:: .*)?|\{main\}|\[internal function\].*)$|^thrown in .* on line \d+$`)
	phpNext  = regexp.MustCompile(`^Next [\w\\]+(?:Exception|Error)\b`)
	// Rust
	rustFrame   = regexp.MustCompile(`^\d+:(?: +0x[0-9a-f]+ -)? +[\w<>&{}$ ,*\[\]'#-]+(?:::[\w<>&{}$ ,*\[\]'#-]+)+$|^at \S+:\d+(?::\d+)?$`)
	rustPlain   = regexp.MustCompile(`^\d+: \w+$`) // told by the place below it
	rustPanic   = regexp.MustCompile(`^thread '[^']*'(?: \(\d+\))? panicked at (?:'(.*)', \S+:\d+:\d+|\S+:\d+:\d+:)$`)
	sourcePlace = regexp.MustCompile(`^\S+:\d+$`)
	numbered    = regexp.MustCompile(`^\d+: (.+)$`)
	// Elixir
	elixirFrame = regexp.MustCompile(`^\([\w_]+ [\d.]+[\w.-]*\) \S+:\d+: |^\S+\.exs?:\d+: \S+/\d+$`)

	// innerLink joins an exception to its cause: JVM and anyhow, .NET, V8.
	innerLink = regexp.MustCompile(`^(?:Caused by:|---> ?|\[cause\]:|cause:|Root cause:)\s*(.*?)(?: \{)?$`)
)

// headers introduce frames or end them, and say nothing else.
func isHeader(line string) bool {
	switch strings.ToLower(strings.TrimRight(line, ": ")) {
	case "traceback (most recent call last)", "exception group traceback (most recent call last)", "stack trace", "stacktrace", "stack",
		"call stack", "backtrace", "stack backtrace", "exception in thread", "exception traceback", "--- end of inner exception stack trace ---",
		"--- end of stack trace from previous location ---", "--- end of stack trace from previous location where exception was thrown ---",
		"caused by (most recent)":
		return true
	}
	return strings.HasPrefix(line, "note: run with `RUST_BACKTRACE") || strings.HasPrefix(line, "note: Some details are omitted") ||
		strings.HasPrefix(line, "Node.js v") || strings.HasPrefix(line, "[Previous line repeated") ||
		strings.Trim(line, "-+{},; ") == "" || goHeader.MatchString(line)
}

// isFrame reports a line of a stack; next is the line below, which some formats
// need to be told by.
func isFrame(line, next string) bool {
	line = strings.TrimSuffix(line, " {") // V8 opens the error's own fields behind the last frame
	switch {
	case strings.HasPrefix(line, "at "):
		return jvmFrame.MatchString(line) || v8Frame.MatchString(line) || dotnetFrame.MatchString(line) || rustFrame.MatchString(line)
	case strings.HasPrefix(line, "#"):
		return phpFrame.MatchString(line)
	case strings.HasPrefix(line, "..."):
		return jvmMore.MatchString(line)
	case strings.HasPrefix(line, "thrown in "):
		return phpFrame.MatchString(line)
	case strings.HasPrefix(line, "("):
		return elixirFrame.MatchString(line)
	}
	return jvmFrame.MatchString(line) || goPlace.MatchString(line) || rubyFrame.MatchString(line) || geckoFrame.MatchString(line) ||
		rustFrame.MatchString(line) || elixirFrame.MatchString(line) || (goPlace.MatchString(next) && goFunction.MatchString(line)) ||
		((strings.HasPrefix(next, "at /") || rustFrame.MatchString(next)) && rustPlain.MatchString(line))
}
