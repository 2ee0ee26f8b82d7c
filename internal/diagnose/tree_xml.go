package diagnose

import (
	"strconv"
	"strings"
)

// parseXML reads s leniently into objects: an element is a member under its
// local name, the root included; one with text alone is a string; attributes
// are "@name", text beside children "#text". Nothing is resolved but the five
// entities and character references, so no document can make it grow. A text
// without an element gives nil.
func parseXML(s string) *node {
	p := xmlParser{s: s}
	root := &node{kind: objectNode}
	p.content(root, "", 0)
	if len(root.items) == 0 {
		return nil
	}
	return root
}

type xmlParser struct {
	s     string
	at    int
	nodes int
}

// content reads children into n until the end tag of name or the end of the
// text, and returns the text between them.
func (p *xmlParser) content(n *node, name string, depth int) string {
	var text strings.Builder
	for p.at < len(p.s) {
		open := strings.IndexByte(p.s[p.at:], '<')
		if open < 0 {
			text.WriteString(unescapeXML(p.s[p.at:]))
			p.at = len(p.s)
			break
		}
		text.WriteString(unescapeXML(p.s[p.at : p.at+open]))
		p.at += open
		rest := p.s[p.at:]
		switch {
		case strings.HasPrefix(rest, "<![CDATA["):
			text.WriteString(p.until("<![CDATA[", "]]>"))
		case strings.HasPrefix(rest, "<!--"):
			p.until("<!--", "-->")
		case strings.HasPrefix(rest, "<?"):
			p.until("<?", "?>")
		case strings.HasPrefix(rest, "<!"):
			p.until("<!", ">")
		case strings.HasPrefix(rest, "</"):
			if local(strings.TrimSpace(p.until("</", ">"))) == name || depth == 0 {
				return text.String()
			}
		default:
			p.element(n, depth)
		}
	}
	return text.String()
}

// until skips open, and returns what stands before end.
func (p *xmlParser) until(open, end string) string {
	p.at = min(p.at+len(open), len(p.s))
	start := p.at
	i := strings.Index(p.s[start:], end)
	if i < 0 {
		p.at = len(p.s)
		return p.s[start:]
	}
	p.at = start + i + len(end)
	return p.s[start : start+i]
}

func (p *xmlParser) element(parent *node, depth int) {
	tag := p.until("<", ">")
	closed := strings.HasSuffix(tag, "/")
	tag = strings.TrimSuffix(tag, "/")
	full, attributes := tag, ""
	if i := strings.IndexAny(tag, " \t\r\n"); i >= 0 {
		full, attributes = tag[:i], tag[i:]
	}
	name := local(full)
	if p.nodes++; p.nodes > maxTreeNodes || depth > maxTreeDepth || name == "" {
		p.at = len(p.s)
		return
	}
	n := &node{kind: objectNode}
	readAttributes(n, attributes)
	text := ""
	if !closed {
		text = strings.TrimSpace(p.content(n, name, depth+1))
	}
	switch {
	case len(n.items) == 0:
		n = stringOf(text)
	case text != "":
		n.items = append(n.items, member{name: "#text", node: stringOf(text)})
	}
	parent.items = append(parent.items, member{name: name, node: n})
}

func readAttributes(n *node, s string) {
	for {
		name, rest, found := strings.Cut(s, "=")
		name, rest = strings.TrimSpace(name), strings.TrimSpace(rest)
		if !found || rest == "" || rest[0] != '"' && rest[0] != '\'' {
			return
		}
		value, after, _ := strings.Cut(rest[1:], rest[:1])
		if !strings.HasPrefix(name, "xmlns") {
			n.items = append(n.items, member{name: "@" + local(name), node: stringOf(unescapeXML(value))})
		}
		s = after
	}
}

// local drops a namespace prefix.
func local(name string) string {
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}

var xmlEntities = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'", "nbsp": " "}

func unescapeXML(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		end := strings.IndexByte(s[:min(len(s), 12)], ';')
		if end < 0 {
			b.WriteByte('&')
			continue
		}
		b.WriteString(entity(s[:end]))
		s = s[end+1:]
	}
}

func entity(name string) string {
	if known, ok := xmlEntities[name]; ok {
		return known
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if hex, found := strings.CutPrefix(strings.ToLower(digits), "x"); found {
		digits, base = hex, 16
	}
	v, err := strconv.ParseUint(digits, base, 21)
	if err != nil || !strings.HasPrefix(name, "#") || v == 0 {
		return "&" + name + ";"
	}
	return string(rune(v))
}
