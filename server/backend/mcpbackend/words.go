package mcpbackend

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"toolgate.dev/toolgate/internal/rawjson"
)

// A tool's error is one text, in which the libraries of servers and of the clients
// in them wrap what they know. This file takes their wrapping off: the sentences
// below are theirs, from their start.

// wrappers stand before a tool's own words: the SDKs for Python and TypeScript,
// FastMCP.
var wrappers = regexp.MustCompile(`^(?:MCP error (-?\d{1,6}): |Error executing tool [\w.-]{1,128}: |Error calling tool '[\w.-]{1,128}': |Tool execution failed: |(?:ToolError|Error|Exception): )`)

const maxWrappers = 4

// statuses are the sentences in which HTTP clients tell of a status: axios,
// requests, httpx, urllib, the SDKs of model providers, Go's.
var statuses = regexp.MustCompile(`^(?:AxiosError: )?(?:` +
	`Request failed with status code (\d{3})\b` +
	`|(\d{3}) (?:Client|Server) Error: ` +
	`|(?:Client|Server) error '(\d{3}) ` +
	`|HTTP Error (\d{3}): ` +
	`|Error code: (\d{3}) - ` +
	`|error code: (\d{3})$` +
	`|HTTP(?:/[\d.]+)? (?:status |error |status code )?(\d{3})\b` +
	`|unexpected status(?: code)?:? (\d{3})\b` +
	`|(?:API|Api) (?:error|request failed|call failed)(?: with status(?: code)?)?:? \(?(\d{3})\b` +
	`|(\d{3}) ([A-Z][A-Za-z' -]+))`)

// words is what is left of a text.
type words struct {
	body   []byte
	kind   string // its media type
	status int    // as Reply.Status
}

func unwrap(text string) words {
	w := words{status: failedStatus}
	text = strings.TrimSpace(text)
	for range maxWrappers {
		found := wrappers.FindStringSubmatch(text)
		if found == nil {
			break
		}
		if code, err := strconv.ParseInt(found[1], 10, 64); err == nil {
			w.status = (&fault{code: code}).status()
		}
		text = strings.TrimSpace(text[len(found[0]):])
	}
	if status := statusIn(text); status != 0 {
		w.status = status
	}
	w.body, w.kind = structure(text)
	return w
}

// statusIn is the HTTP status that a text begins with; 0: none. A number and words
// are one only where the words are its name.
func statusIn(text string) int {
	if status := named[strings.TrimRight(text, ".! ")]; status != 0 {
		return status
	}
	found := statuses.FindStringSubmatch(text[:min(len(text), 256)])
	if found == nil {
		return 0
	}
	for _, digits := range found[1 : len(found)-1] {
		status, err := strconv.Atoi(digits)
		if err != nil || status < 400 || status > 599 {
			continue
		}
		if name := found[len(found)-1]; name != "" && (http.StatusText(status) == "" || !strings.HasPrefix(name, http.StatusText(status))) {
			return 0
		}
		return status
	}
	return 0
}

// named are statuses whose name is all that is said.
var named = map[string]int{
	"Too Many Requests": 429, "Internal Server Error": 500, "Bad Gateway": 502, "Service Unavailable": 503, "Gateway Timeout": 504,
	"Service Temporarily Unavailable": 503, "Gateway Time-out": 504,
}

const (
	mediaText   = "text/plain; charset=utf-8"
	maxSentence = 400 // before what is quoted
)

// structure finds the faults that a text lists, as its schema's library wrote them.
func structure(text string) (body []byte, kind string) {
	if strings.HasPrefix(text, "{") && valid([]byte(text)) {
		return []byte(text), mediaJSON
	}
	if at := strings.IndexByte(text, '['); at >= 0 && at < maxSentence {
		list := []byte(strings.TrimSpace(text[at:]))
		if valid(list) && rawjson.KindOf(firstItem(list)) == rawjson.Object { // zod's
			return listed(strings.TrimRight(text[:at], ": \n"), "errors", list), mediaJSON
		}
	}
	if found := errnos.FindStringSubmatch(text); found != nil {
		object := rawjson.AppendMember([]byte{'{'}, "code", rawjson.AppendString(nil, found[1]))
		return append(rawjson.AppendMember(object, "message", rawjson.AppendString(nil, text[len(found[0]):])), '}'), mediaJSON
	}
	if list := pydantic(text); list != nil {
		return append(rawjson.AppendMember([]byte{'{'}, "detail", list), '}'), mediaJSON
	}
	return []byte(text), mediaText
}

// errnos are the names of the system's errors, as Node writes them before the
// sentence.
var errnos = regexp.MustCompile(`^(E[A-Z0-9]{2,15}): `)

func firstItem(list []byte) []byte {
	item, _ := rawjson.Item(list, 0)
	return item
}

func listed(sentence, name string, list []byte) []byte {
	object := []byte{'{'}
	if sentence != "" {
		object = rawjson.AppendMember(object, "message", rawjson.AppendString(nil, sentence))
	}
	return append(rawjson.AppendMember(object, name, list), '}')
}

// pydantic's report: a head, then by fault a line with the place and one, indented,
// with the sentence and its type.
var (
	pydanticHead  = regexp.MustCompile(`^\d+ validation errors? for [^\n]+\n`)
	pydanticFault = regexp.MustCompile(`(?m)^([\w.\[\]-]+)\n {2}([^\n]+?)(?: \[type=(\w+)[^\n]*\])?$`)
)

const maxFaults = 24

// pydantic turns its report into the list that it is as JSON; nil where a text is
// none.
func pydantic(text string) []byte {
	head := pydanticHead.FindString(text)
	if head == "" {
		return nil
	}
	list := []byte{'['}
	for _, found := range pydanticFault.FindAllStringSubmatch(text[len(head):], maxFaults) {
		place := []byte{'['}
		for step := range strings.SplitSeq(found[1], ".") {
			place = append(separated(place), rawjson.AppendString(nil, step)...)
		}
		one := rawjson.AppendMember([]byte{'{'}, "loc", append(place, ']'))
		one = rawjson.AppendMember(one, "msg", rawjson.AppendString(nil, found[2]))
		one = append(rawjson.AppendMember(one, "type", rawjson.AppendString(nil, found[3])), '}')
		list = append(separated(list), one...)
	}
	if len(list) == 1 {
		return nil
	}
	return append(list, ']')
}

func separated(list []byte) []byte {
	if bytes.HasSuffix(list, []byte("[")) {
		return list
	}
	return append(list, ',')
}
