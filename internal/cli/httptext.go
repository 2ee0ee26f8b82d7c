package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
)

// httpText is a response as `curl -i` prints it: a status line, headers, an
// empty line, the body as it came out of curl (decoded, not chunked).
type httpText struct {
	status int
	header map[string][]string
	body   []byte
}

var errNotHTTP = errors.New("the text does not start with a status line")

// parseHTTPText reads `curl -i` output. Where it holds several responses (100
// Continue, a proxy's CONNECT, redirects that were followed) the last one counts.
func parseHTTPText(text []byte) (httpText, error) {
	parsed, err := oneResponse(text)
	for err == nil && bytes.HasPrefix(parsed.body, []byte("HTTP/")) {
		next, nextErr := oneResponse(parsed.body)
		if nextErr != nil {
			break // a body that merely looks like it
		}
		parsed = next
	}
	return parsed, err
}

func oneResponse(text []byte) (httpText, error) {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	protocol, status, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	if !strings.HasPrefix(protocol, "HTTP/") {
		return httpText{}, errNotHTTP
	}
	number, _, _ := strings.Cut(strings.TrimSpace(status), " ")
	code, err := strconv.Atoi(number)
	if err != nil || code < 100 || code > 999 {
		return httpText{}, fmt.Errorf("%q is no status line", strings.TrimSpace(string(line)))
	}
	head, body := splitHead(rest)
	header, err := parseHeader(head)
	return httpText{status: code, header: header, body: body}, err
}

// splitHead parts headers from body at the first empty line, whichever line
// ends were kept on the way.
func splitHead(text []byte) (head, body []byte) {
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		if len(bytes.TrimRight(text[at:at+end], "\r")) == 0 {
			return text[:at], text[at+end+1:]
		}
		at += end + 1
	}
	return text, nil
}

func parseHeader(head []byte) (map[string][]string, error) {
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, nil
	}
	normal := slices.Concat(bytes.TrimRight(head, "\r\n"), []byte("\r\n\r\n")) // a copy: the body follows in text
	header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(normal))).ReadMIMEHeader()
	if err != nil {
		return nil, fmt.Errorf("headers: %w", err)
	}
	return header, nil
}
