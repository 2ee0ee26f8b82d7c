package httpbackend

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// template is a URL template (RFC 6570 level 1), split so that a value can only
// ever become part of a path segment or of a query parameter's value.
type template struct {
	scheme, host string
	path         []piece
	query        []parameter
	names        []string // of the variables, in order, each once
}

// piece is literal text, percent-encoded, or the value of a variable.
type piece struct {
	literal  string
	variable string
}

// parameter is one `name=value` of the template's own query.
type parameter struct {
	name  string // decoded
	parts []piece
}

var (
	errTemplateForm = errors.New("it is neither a path that starts with / nor an http or https URL")
	errOperator     = errors.New("a variable has an operator: only {name} is known (RFC 6570 level 1)")
)

func operator(name string) bool { return name != "" && strings.IndexByte("+#./;?&=,!@|", name[0]) >= 0 }

// parseTemplate joins the upstream's URL and the template. The error says what
// is wrong with the template.
func parseTemplate(base *url.URL, text string) (*template, error) {
	if at := strings.IndexAny(text, "{"); at >= 0 && operator(text[at+1:]) {
		return nil, errOperator
	}
	whole, err := absolute(base, text)
	if err != nil {
		return nil, err
	}
	scheme, rest, _ := strings.Cut(whole, "://")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if err := checkAuthority(authority); err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(rest, "?")
	t := &template{scheme: strings.ToLower(scheme), host: strings.ToLower(authority)}
	if t.path, err = t.pieces(path); err != nil {
		return nil, err
	}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		if err := t.addParameter(pair); err != nil {
			return nil, err
		}
	}
	return t, t.checkSegments(path)
}

func absolute(base *url.URL, text string) (string, error) {
	switch {
	case strings.Contains(text, "#"):
		return "", errors.New("a fragment is never sent")
	case strings.HasPrefix(text, "/"):
		if base == nil {
			return "", errors.New("a path needs an upstream with a URL")
		}
		return base.Scheme + "://" + base.Host + strings.TrimRight(base.EscapedPath(), "/") + text, nil
	}
	scheme, _, found := strings.Cut(text, "://")
	if scheme = strings.ToLower(scheme); !found || scheme != "http" && scheme != "https" {
		if strings.Contains(scheme, "{") {
			return "", errors.New("a variable may not stand in the scheme")
		}
		return "", errTemplateForm
	}
	return text, nil
}

func checkAuthority(authority string) error {
	switch {
	case strings.Contains(authority, "{"):
		return errors.New("a variable may not stand in the host")
	case strings.Contains(authority, "@"):
		return errors.New("user and password don't belong in a URL: use secret_headers")
	}
	parsed, err := url.Parse("http://" + authority)
	if err != nil || parsed.Hostname() == "" || parsed.Host != authority {
		return fmt.Errorf("%q is no host", authority)
	}
	return nil
}

// addParameter reads one pair of the template's query.
func (t *template) addParameter(pair string) error {
	name, value, _ := strings.Cut(pair, "=")
	if strings.Contains(name, "{") {
		return errors.New("a variable may not stand in the name of a query parameter")
	}
	decoded, err := url.QueryUnescape(name)
	if err != nil {
		return fmt.Errorf("the query parameter %q: %w", name, err)
	}
	parts, err := t.pieces(value)
	if err != nil {
		return err
	}
	t.query = append(t.query, parameter{name: decoded, parts: parts})
	return nil
}

// pieces splits text at its variables.
func (t *template) pieces(text string) ([]piece, error) {
	var parts []piece
	for text != "" {
		literal, rest, open := strings.Cut(text, "{")
		if strings.Contains(literal, "}") {
			return nil, errors.New("a brace is closed that is not open")
		}
		if literal != "" {
			escaped, err := appendLiteral(nil, literal)
			if err != nil {
				return nil, err
			}
			parts = append(parts, piece{literal: string(escaped)})
		}
		if !open {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, errors.New("a brace is not closed")
		}
		if err := checkVariable(name); err != nil {
			return nil, err
		}
		t.addName(name)
		parts, text = append(parts, piece{variable: name}), after
	}
	return parts, nil
}

func (t *template) addName(name string) {
	if !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
	}
}

// checkVariable accepts what RFC 6570 calls a varname, and dashes and dollars,
// since arguments have them.
func checkVariable(name string) error {
	if name == "" {
		return errors.New("a variable has no name")
	}
	if operator(name) {
		return errOperator
	}
	for _, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
		if !letter && !strings.ContainsRune("_-.$", c) {
			return fmt.Errorf("{%s} holds %q: a variable is {name}, the name of an argument", name, c)
		}
	}
	return nil
}

// checkSegments refuses dot segments of the operator's own.
func (t *template) checkSegments(path string) error {
	if Climbs(path) {
		return errors.New("the path holds a dot segment")
	}
	return nil
}

// Climbs reports whether a path holds what is a dot segment to somebody.
func Climbs(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if climbs(segment) {
			return true
		}
	}
	return false
}

// climbs reports whether a segment, percent-encoded any number of times up to
// three, is a dot segment to somebody: servers decode slashes and backslashes
// and drop path parameters before they look.
func climbs(segment string) bool {
	for range 4 {
		for part := range strings.FieldsFuncSeq(segment, func(c rune) bool { return c == '/' || c == '\\' }) {
			part, _, _ = strings.Cut(part, ";")
			if part = strings.TrimSpace(part); part == "." || part == ".." {
				return true
			}
		}
		decoded := unescapeLoosely(segment)
		if decoded == segment {
			return false
		}
		segment = decoded
	}
	return false
}

// unescapeLoosely decodes whatever is well-formed and leaves the rest.
func unescapeLoosely(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	decoded := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			decoded = append(decoded, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
			continue
		}
		decoded = append(decoded, text[i])
	}
	return string(decoded)
}
