package redact

import (
	"html"
	"regexp"
	"strings"

	xhtml "golang.org/x/net/html"
)

// HTML turns HTML or XML into its text, a line per block: scripts, styles and
// attributes go, entities are decoded, `pre` keeps its lines, and a line that
// stood before (the title as a heading) is not said again.
func HTML(s string) string {
	z := xhtml.NewTokenizer(strings.NewReader(s))
	z.AllowCDATA(true)
	var p page
	for {
		kind := z.Next()
		if kind == xhtml.ErrorToken { // the end: a reader of memory has no other error
			return p.text()
		}
		p.token(kind, z)
	}
}

// page collects the text of a document.
type page struct {
	b       strings.Builder
	skipped string // the element whose content is being skipped
	pre     int
}

// skippedTags hold no text for readers.
var skippedTags = setOf(`script style svg template iframe object`)

// htmlTags are names of HTML that read like those of secret or noisy fields.
var htmlTags = setOf(`code title head body p b i u s a h1 h2 h3 h4 h5 h6 pre div span table tr td th li ul ol`)

// inlineTags do not end a line. All others do, those of XML too.
var inlineTags = setOf(`a abbr b bdi bdo big cite code em font i kbd label mark q s samp small span strong sub sup tt u var wbr`)

func (p *page) token(kind xhtml.TokenType, z *xhtml.Tokenizer) {
	switch kind {
	case xhtml.TextToken:
		if p.skipped == "" {
			p.write(string(z.Text()))
		}
	case xhtml.StartTagToken, xhtml.SelfClosingTagToken, xhtml.EndTagToken:
		// The tokenizer lowers names; the words of an XML name show by its case.
		p.tag(kind, elementName(string(z.Raw())))
	}
}

func elementName(tag string) string {
	tag = strings.TrimLeft(tag, "</")
	if end := strings.IndexAny(tag, " \t\r\n/>"); end >= 0 {
		tag = tag[:end]
	}
	return tag[strings.IndexByte(tag, ':')+1:]
}

func (p *page) tag(kind xhtml.TokenType, element string) {
	name := strings.ToLower(element)
	switch {
	case p.skipped != "":
		if kind == xhtml.EndTagToken && name == p.skipped {
			p.skipped = ""
		}
		return
	case kind == xhtml.StartTagToken && (skippedTags[name] || !htmlTags[name] && (NoiseName(element) || SecretName(element))):
		p.skipped = name
	case name == "pre" && kind == xhtml.StartTagToken:
		p.pre++
	case name == "pre" && kind == xhtml.EndTagToken && p.pre > 0:
		p.pre--
	}
	if !inlineTags[name] {
		p.b.WriteByte('\n')
	}
}

func (p *page) write(s string) {
	s = html.UnescapeString(s)
	if p.pre > 0 {
		p.b.WriteString(s)
		return
	}
	if strings.TrimSpace(s) == "" {
		p.b.WriteByte(' ')
		return
	}
	if isBreak(s[0]) {
		p.b.WriteByte(' ')
	}
	p.b.WriteString(strings.Join(strings.Fields(s), " "))
	if isBreak(s[len(s)-1]) {
		p.b.WriteByte(' ')
	}
}

func isBreak(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (p *page) text() string {
	var lines []string
	seen := map[string]bool{}
	for line := range strings.Lines(p.b.String()) {
		line = strings.TrimRight(line, " \n\r")
		if key := strings.TrimSpace(line); key == "" || seen[key] {
			continue
		} else if len(seen) < 256 {
			seen[key] = true
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// markup matches what only markup holds: a closing tag, a declaration, a tag of
// HTML. Angle brackets of prose (`> 0 and < 1`), of types (`List<String>`) and
// of placeholders (`<name>`) are none.
var markup = regexp.MustCompile(`(?i)<(?:!doctype\b|!--|\?xml\b|!\[cdata\[|/[a-z][\w:.-]*\s*>|(?:html|head|body|title|meta|link|script|style|` +
	`div|span|p|br|hr|h[1-6]|pre|code|a|b|i|u|em|strong|small|center|font|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|img|form|input|button|` +
	`section|article|header|footer|main|nav|blockquote|svg|iframe)(?:\s[^<>]*)?/?>)`)

var entity = regexp.MustCompile(`&(?:amp|lt|gt|quot|apos|nbsp|hellip|mdash|ndash|copy|[lr][sd]quo|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});`)

// opensTag is the cheap first look. A closing tag alone is one that a message
// misses.
func opensTag(s string) bool {
	for at := strings.IndexByte(s, '<'); at >= 0 && at+1 < len(s); {
		if c := s[at+1]; isLower(c) || isUpper(c) || c == '!' || c == '?' {
			return true
		}
		next := strings.IndexByte(s[at+1:], '<')
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// markupToText turns what is markup into text, and decodes entities elsewhere.
func markupToText(s string) string {
	if opensTag(s) && markup.MatchString(s) {
		return clean(HTML(s))
	}
	if strings.IndexByte(s, '&') >= 0 && entity.MatchString(s) {
		return clean(html.UnescapeString(s))
	}
	return s
}
