package diagnose

import (
	"strings"

	"golang.org/x/net/html"
)

// readPlainText takes the text as the message; its frames go where it is
// redacted.
func (d *diagnosis) readPlainText() { d.finding.addMessage(d.reading.text) }

// readPage takes title, heading and message out of an HTML page.
func (d *diagnosis) readPage() {
	page := scanPage(d.reading.html)
	f := &d.finding
	d.reading.root = objectOf(member{"html", objectOf(
		member{"title", stringOf(page.title)}, member{"heading", stringOf(page.heading)}, member{"text", stringOf(page.text)},
	)})
	f.shapeSaid = "an HTML page"
	f.page = page.title
	if page.login {
		f.shapeSaid = "a login page"
		f.suggest("credentials")
	}
	if broke := strings.ToLower(page.text); strings.HasPrefix(broke, "fatal error") || strings.HasPrefix(broke, "parse error") || strings.HasPrefix(broke, "uncaught") {
		f.suggest("uncertain")
	}
	for _, text := range []string{page.message, page.heading, page.code, page.title} {
		if text != "" {
			f.addMessage(text)
		}
	}
	if f.message == "" {
		f.addMessage(page.text)
	}
	if page.paragraph != "" && len(f.parts) == 0 {
		f.addMessage(page.paragraph)
	}
}

// page is what a page says to people.
type page struct {
	title, heading, message, paragraph, text string
	code                                     string // the first line of a pre
	login, traced                            bool   // it asks who reads it; what follows is a trace
}

// traceHeads is what pages write above a trace.
var traceHeads = map[string]bool{
	"traceback": true, "traceback (most recent call last)": true, "traceback (innermost last)": true, "full traceback": true,
	"stack trace": true, "stacktrace": true, "stack": true, "backtrace": true, "full trace": true, "call stack": true, "trace": true,
	"application trace": true, "framework trace": true, "exception details": true, "exception stack trace": true,
}

func traceHead(text string) bool { return traceHeads[strings.ToLower(strings.TrimRight(text, " :."))] }

// scanPage reads the first texts of a page; styles, scripts and traces are
// passed over.
func scanPage(markup string) page {
	var p page
	z := html.NewTokenizer(strings.NewReader(markup))
	z.SetMaxBuf(64 << 10)
	var text strings.Builder
	in, skip := "", ""
	for text.Len() < 2048 {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attributes := z.TagName()
			tag := string(name)
			p.login = p.login || attributes && isLogin(z, tag)
			if kind == html.StartTagToken && skip == "" {
				if in != "p" || !inlineTags[tag] {
					in = tag
				}
				if passedOver[tag] {
					skip = tag
				}
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if string(name) == skip {
				skip = ""
			}
			if tag := string(name); tag == "p" || tag == "div" || tag == "h1" {
				in = ""
			}
		case html.TextToken:
			if skip == "" {
				p.take(in, string(z.Text()), &text)
			}
		}
	}
	p.text = strings.TrimSpace(text.String())
	return p
}

// inlineTags mark words inside a paragraph and don't end it. Not b: Tomcat's
// pages label their lines with it.
var inlineTags = map[string]bool{"strong": true, "em": true, "i": true, "a": true, "span": true, "code": true, "font": true, "br": true, "tt": true, "u": true}

// passedOver are elements whose texts nobody reads.
var passedOver = map[string]bool{"style": true, "script": true, "noscript": true, "svg": true}

// take files one text by the element that it stands in.
func (p *page) take(in, raw string, all *strings.Builder) {
	text := strings.Join(strings.Fields(html.UnescapeString(raw)), " ")
	if text == "" {
		return
	}
	if in != "title" && traceHead(text) {
		p.traced = true
		return
	}
	switch {
	case in == "pre" && p.traced:
		return
	case in == "pre":
		line, _, _ := strings.Cut(strings.TrimSpace(html.UnescapeString(raw)), "\n")
		if len(line) <= 200 && !traceHead(line) {
			p.code = orElse(p.code, line)
		}
		return
	case in == "title":
		p.title = orElse(p.title, text)
		return
	case in == "h1" || in == "h2":
		p.heading = orElse(p.heading, text)
	case p.message == "next": // Tomcat: <b>Message</b> text
		p.message = text
	case in == "b" && (text == "Message" || text == "message" || text == "Description" && p.message == ""):
		p.message = "next"
	case in == "p" && p.paragraph == "" && len(text) > 12:
		p.paragraph = text
	}
	if all.Len() > 0 {
		all.WriteByte(' ')
	}
	all.WriteString(text)
}

func loginPath(path string) bool {
	for _, part := range [...]string{"/login", "/signin", "/sso", "/oauth2/authorize"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

// isLogin looks for the field of a password, for single sign-on forms, and for
// pages that send their reader on to a login.
func isLogin(z *html.Tokenizer, tag string) bool {
	if tag != "input" && tag != "form" && tag != "meta" {
		return false
	}
	for {
		key, value, more := z.TagAttr()
		k, v := string(key), strings.ToLower(string(value))
		if tag == "input" && (k == "type" && v == "password" || k == "name" && (v == "samlrequest" || v == "samlresponse" || v == "password")) ||
			tag == "form" && k == "action" && loginPath(v) || tag == "meta" && k == "content" && strings.Contains(v, "url=") && loginPath(v) {
			return true
		}
		if !more {
			return false
		}
	}
}
