package diagnose

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// What of a body is read: errors stand at its ends.
const (
	maxHead = 256 << 10
	maxTail = 64 << 10
)

// readBody finds the body's notation by its shape; its content type is often
// wrong.
func (r *reading) readBody() {
	head := r.reply.Body
	if len(head) > maxHead {
		head, r.cut = head[:maxHead], true
	}
	r.cut = r.cut || r.reply.BodySize != 0
	text := decodeText(inflate(head), r.header("Content-Type"))
	text = strings.TrimSpace(unwrapText(strings.TrimSpace(text)))
	if text == "" {
		return
	}
	switch text[0] {
	case '{', '[', '"':
		r.readJSON(text)
	case '<':
		r.readMarkup(text)
	default:
		r.readText(text)
	}
}

func (r *reading) readJSON(text string) {
	root, _ := parseJSON(text)
	if root.isString() {
		if inner := root.opened(); inner != root {
			root = inner
		} else {
			r.form, r.text = formText, root.str()
			return
		}
	}
	if !root.isContainer() || len(root.items) == 0 && len(text) > 2 {
		r.form, r.text = formText, text
		return
	}
	r.form, r.root = formJSON, root
	if r.cut {
		r.readTail()
	}
}

// readTail looks in the end of a long body for what its head lacks: GraphQL and
// others write their errors last.
func (r *reading) readTail() {
	body := r.reply.Body
	if !r.root.isObject() || len(body) <= maxHead || r.root.member("errors") != nil || r.root.member("error") != nil {
		return
	}
	tail := string(body[max(maxHead, len(body)-maxTail):])
	for _, name := range []string{"errors", "error"} {
		i := strings.LastIndex(tail, `"`+name+`":`)
		if i < 0 {
			continue
		}
		if value, whole := parseJSON(tail[i+len(name)+3:]); whole && value.isContainer() {
			r.root.items = append(r.root.items, member{name: name, node: value})
		}
	}
}

func (r *reading) readMarkup(text string) {
	if isPage(text) {
		r.form, r.html = formHTML, text
		return
	}
	if r.root = parseXML(text); r.root != nil {
		r.form = formXML
		return
	}
	r.form, r.text = formText, text
}

func isPage(text string) bool {
	start := strings.ToLower(text[:min(len(text), 2048)])
	for _, sign := range []string{"<!doctype html", "<html", "<head>", "<body", "<title>", "<h1", "<center>", "<p>", "<div", "<br", "<b>"} {
		if strings.Contains(start, sign) {
			return !strings.HasPrefix(start, "<?xml") || strings.Contains(start, "<html")
		}
	}
	return false
}

func (r *reading) readText(text string) {
	if fields := parseForm(text); fields != nil {
		r.form, r.root = formFields, fields
		return
	}
	if !mostlyText(text) {
		r.form = formBinary
		return
	}
	r.form, r.text = formText, text
	// A sentence, then the JSON that it quotes.
	if i := strings.IndexByte(text, '{'); i > 0 && i < 400 {
		if inner, rest, whole := parseLeading(text[i:]); whole && inner.isObject() && len(inner.items) > 0 {
			r.form, r.root, r.text = formJSON, inner, strings.TrimSpace(text[:i])
			if rest = strings.TrimSpace(rest); len(rest) > 3 {
				r.text += " " + rest
			}
		}
	}
}

// inflate unpacks a body that came packed without saying so.
func inflate(b []byte) []byte {
	if len(b) < 3 {
		return b
	}
	var reader io.ReadCloser
	var err error
	switch {
	case b[0] == 0x1f && b[1] == 0x8b:
		reader, err = gzip.NewReader(bytes.NewReader(b))
	case b[0] == 0x78 && (b[1] == 0x01 || b[1] == 0x9c || b[1] == 0xda):
		reader, err = zlib.NewReader(bytes.NewReader(b))
	default:
		return b
	}
	if err != nil {
		return b
	}
	plain, err := io.ReadAll(io.LimitReader(reader, maxHead))
	if err != nil && len(plain) == 0 {
		return b
	}
	return plain
}

// decodeText turns a body into UTF-8, by its marks before its declaration.
func decodeText(b []byte, contentType string) string {
	switch {
	case bytes.HasPrefix(b, []byte{0xef, 0xbb, 0xbf}):
		b = b[3:]
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}), len(b) > 3 && b[1] == 0 && b[3] == 0 && b[0] != 0:
		return decodeUTF16(b, 0)
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}), len(b) > 3 && b[0] == 0 && b[2] == 0 && b[1] != 0:
		return decodeUTF16(b, 1)
	}
	if utf8.Valid(b) {
		return string(b)
	}
	if label := charsetOf(contentType); label != "" && label != "utf-8" && label != "utf8" {
		if encoding, err := htmlindex.Get(label); err == nil {
			if text, err := encoding.NewDecoder().Bytes(b); err == nil {
				return string(text)
			}
		}
	}
	if utf8.Valid(trimBrokenEnd(b)) || hasMultibyte(b) {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(text)
}

func charsetOf(contentType string) string {
	_, label, found := strings.Cut(strings.ToLower(contentType), "charset=")
	if !found {
		return ""
	}
	label, _, _ = strings.Cut(label, ";")
	return strings.Trim(strings.TrimSpace(label), `"'`)
}

// trimBrokenEnd drops a rune that the cut went through.
func trimBrokenEnd(b []byte) []byte {
	for i := 1; i <= min(3, len(b)); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// hasMultibyte reports whether b holds valid UTF-8 sequences beyond ASCII.
func hasMultibyte(b []byte) bool {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if size > 1 && r != utf8.RuneError {
			return true
		}
		b = b[size:]
	}
	return false
}

func decodeUTF16(b []byte, high int) string {
	if len(b) >= 2 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff) {
		b = b[2:]
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, uint16(b[i+high])<<8|uint16(b[i+1-high]))
	}
	return string(utf16.Decode(units))
}

// mostlyText reports whether s can be shown: few control characters.
func mostlyText(s string) bool {
	s = s[:min(len(s), 1024)]
	odd := 0
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != 0x1b {
			odd++
		}
	}
	odd += strings.Count(s, "\uFFFD") * 2
	return odd*10 <= len(s)
}
