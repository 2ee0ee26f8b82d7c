package redact

import (
	"regexp"
	"strings"
)

// noiseRules remove what says how an upstream is built.
var noiseRules = []rule{
	{ // frames that a joined line still holds: JVM, .NET
		needs: hasBracket, words: []string{".java", ".kt:", ".scala:", ".groovy:", ".clj:", "(native method)", "(unknown source)", ":line "}, back: 512, reach: 512,
		re: regexp.MustCompile(`\s*\bat (?:[\w.@-]+/)*[\w.$<>-]+\((?:[\w$-]+\.(?:java|kt|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source)\)(?: ~?\[[^\]]*\])?|` +
			`\s*\bat [\w.<>\x60\[\],+]+\.[\w<>\x60.]+\([^()]*\) in \S+:line \d+`),
		with: always(gap),
	},
	{ // JavaScript
		needs: hasPort, words: []string{"node:", "file://", "webpack", ".js:", ".ts:", ".mjs:", ".cjs:", ".jsx:", ".tsx:"}, back: 512, reach: 512,
		re:   regexp.MustCompile(`\s*\bat (?:(?:async |new )?[\w$.<>\[\]#]+ (?:\[as [\w$]+\] )?)?\(?(?:file://|node:|webpack\S*|https?://|/|[A-Za-z]:\\)[^\s()]*:\d+:\d+\)?`),
		with: always(gap),
	},
	{ // Python, PHP, Go
		words: []string{"file \"", "file \\\"", "#0 ", "{main}", "goroutine ", ".go:", "traceback ("}, back: 256, reach: 512,
		re: regexp.MustCompile(`\s*File \\?"[^"]*", line \d+(?:, in [\w<>.]+)?|\s*#\d+ (?:\{main\}|[^\s#]+\(\d+\):[^#]*)|goroutine \d+ \[[^\]]*\]:|` +
			`\S+\.go:\d+ \+0x[0-9a-f]+|Traceback \(most recent call last\):`),
		with: always(gap),
	},
	{ // Rust
		words: []string{"rust_begin_unwind", "stack backtrace", ": core::", ": std::", ": alloc::", ": tokio::"}, back: 8, reach: 512,
		re:   regexp.MustCompile(`(?:stack backtrace:)?\s*\b\d+: +(?:0x[0-9a-f]+ - )?(?:rust_begin_unwind|_?[a-z]\w*(?:::[\w<>{}#]+)+)(?: +at \S+:\d+(?::\d+)?)?`),
		with: always(gap),
	},
	{sign: '@', needs: hasIdentity, by: (*text).identities},
	{ // class names of the JVM by their reversed domain
		needs: hasInnerDot | hasUpper, words: domains(), reach: 128, starts: true,
		re:   regexp.MustCompile(`^[a-z]+(?:\.[a-z_][a-z0-9_]*)+(?:\.[A-Z]\w*(?:\$\w+)*)+\b`),
		with: lastSegment,
	},
	{ // modules and namespaces in front of an exception
		needs: hasInnerDot | hasUpper, words: []string{"error", "exception"}, back: 128, reach: 48,
		re:   regexp.MustCompile(`\b(?:[A-Za-z_]\w*\.)+(?:[A-Z]\w*Error|(?:[A-Z]\w*)?Exception)\b|\b[a-z_]\w*\.(?:[a-z_]\w*\.)*(?:errors?|exceptions?)\.[A-Z]\w*`),
		with: lastSegment,
	},
	{ // PHP namespaces
		needs: hasBackslash | hasUpper,
		re:    regexp.MustCompile(`\\{0,2}\b[A-Z]\w*(?:\\{1,2}[A-Z]\w*){2,}|\b[A-Z]\w*\\{1,2}[A-Z]\w*(?:Exception|Error)\b`),
		with:  lastSegment,
	},
	{ // banners of servers and run times
		needs: hasVersion,
		re: regexp.MustCompile(`(?i)(?:\bserver:\s*)?\b(?:nginx|apache(?:[ -]tomcat|[ -]coyote)?|microsoft-(?:iis|httpapi)|openresty|tengine|litespeed|caddy|traefik|envoy|` +
			`gunicorn|uvicorn|hypercorn|werkzeug|python|php|openssl|mod_\w+|phusion passenger|jetty|undertow|wildfly|jboss[\w-]*|glassfish|kestrel|cherrypy|` +
			`tornadoserver|waitress|puma|unicorn|thin|webrick|cowboy|varnish|squid|haproxy|h2o|cloudflare-nginx|awselb|boto3|botocore|aiohttp|urllib3|` +
			`node(?:\.js)?|express|perl|ruby)(?: server)?/v?\d+(?:\.\d+)*[\w.+-]*(?: \([^)]{1,40}\))?(?: server at \S+ port \d+)?`),
		with: always(gap),
	},
	{
		words: []string{"server at ", "jetty"}, back: 16, reach: 128,
		re:   regexp.MustCompile(`(?i)(?:apache )?server at \S+ port \d+|\bpowered by jetty\S*|\bjetty\(\d[\w.]*\)`),
		with: always(gap),
	},
	{ // leftovers of SQLAlchemy, PostgreSQL and pydantic
		words: []string{"[parameters:", "background on this error", "row contains", "errors.pydantic.dev"},
		re: regexp.MustCompile(`\[parameters: [^\]]*\]?|\(Background on this error at: [^)]*\)|(?:DETAIL:\s+)?(?:Failing row contains )\(.*\)|` +
			`(?:For further information visit )?https://errors\.pydantic\.dev/\S*`),
		with: always(gap),
	},
}

// identities shortens object identities of the JVM, and the state that toString
// prints behind them, to the name of the class.
func (t *text) identities(places []int) {
	t.splice(places, func(s string, at int) (from, to int, with string) {
		from, to = at, at+1
		for from > 0 && (isWord(s[from-1]) || s[from-1] == '.' || s[from-1] == '$') {
			from--
		}
		for to < len(s) && (isHex(s[to]) || s[to] == '@') && to-at <= 256 {
			to++
		}
		name := s[from:at]
		if to-at < 6 || (to < len(s) && (isWord(s[to]) || s[to] == '.')) || t.keep.Has(s[from:to]) {
			return 0, 0, ""
		}
		name = name[strings.LastIndexByte(name, '.')+1:]
		name, _, _ = strings.Cut(name, "$")
		if name == "" || isDigit(name[0]) {
			return 0, 0, ""
		}
		if state := strings.IndexAny(s[to:], "[]"); state == 0 {
			if end := strings.IndexAny(s[to+1:], "[]"); end >= 0 && s[to+1+end] == ']' {
				to += end + 2
			}
		}
		return from, to, name
	})
}

// domains are the first parts of reversed domains, and of the platform's own
// packages.
func domains() (words []string) {
	for word := range strings.FieldsSeq("java javax jakarta org com net io edu dev sun jdk kotlin scala akka de fr uk") {
		words = append(words, word+".")
	}
	return words
}

func lastSegment(m match) string {
	name := m.group(0)
	if m.keep.Has(name) {
		return name
	}
	name = name[strings.LastIndexAny(name, `.\`)+1:]
	if dollar := strings.IndexByte(name, '$'); dollar > 0 {
		name = name[:dollar]
	}
	return name
}
