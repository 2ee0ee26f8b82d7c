package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"toolgate.dev/toolgate/internal/rawjson"
	"toolgate.dev/toolgate/server/door"
)

func refuse(status int, reason, field, detail string, accepted ...string) door.Problem {
	return door.Problem{Status: status, Reason: reason, Field: field, Detail: detail, Accepted: accepted}
}

// readBody reads the JSON of a request. A browser sends this media type to others
// only after it has asked (CORS), so no page can call without being invited.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := checkMediaType(r); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(min(r.ContentLength, maxTrust)) + bytes.MinRead)
	}
	if _, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, door.MaxBodyBytes)); err != nil {
		return nil, unread(err)
	}
	if !utf8.Valid(body.Bytes()) {
		return nil, refuse(http.StatusBadRequest, "MALFORMED_BODY", "", "the body is not UTF-8")
	}
	return body.Bytes(), nil
}

// maxTrust is how much memory a Content-Length alone gets.
const maxTrust = 1 << 20

func checkMediaType(r *http.Request) error {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := parameters["charset"]
	if err != nil || kind != jsonType || (charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return refuse(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "Content-Type", "the body of a request is JSON in UTF-8", jsonType)
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refuse(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "Content-Encoding", "bodies are taken as they are", "identity")
	}
	return nil
}

func unread(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refuse(http.StatusRequestEntityTooLarge, "BODY_TOO_LARGE", "", fmt.Sprintf("a body of at most %d bytes is accepted", door.MaxBodyBytes))
	}
	if problem, ok := errors.AsType[door.Problem](err); ok { // a stranger's
		return problem
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(http.StatusRequestTimeout, "BODY_TOO_SLOW", "", "the body did not come in time")
	}
	return refuse(http.StatusBadRequest, "BODY_CUT", "", "the body broke off")
}

// object is one JSON object of a request, its members as text.
type object struct {
	at      string // where it stands, as a field is written; empty: the body
	members map[string][]byte
}

// parse reads a body whose members are among accepted. Where nothing but arguments is
// no JSON, they are handed on: who reads them says so to the model. hollow is the body
// without them.
func parse(body []byte, hollow func([]byte) []byte, accepted ...string) (object, error) {
	if err := wellFormed(body); err != nil && !json.Valid(hollow(body)) {
		return object{}, err
	}
	return membersOf(body, "", accepted...)
}

func wellFormed(body []byte) error {
	if json.Valid(body) {
		return nil
	}
	detail := "the body is not JSON"
	var whole json.RawMessage
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(body, &whole)); ok {
		detail = fmt.Sprintf("the body is not JSON: %s, at byte %d", syntax.Error(), syntax.Offset)
	}
	return refuse(http.StatusBadRequest, "MALFORMED_BODY", "", detail+"; a text that may be malformed goes into arguments_json, as a string")
}

// withoutArguments is a call without its arguments.
func withoutArguments(call []byte) []byte {
	return replaced(call, "arguments", func([]byte) []byte { return []byte("null") })
}

// withoutAnyArguments is a batch without the arguments of its calls.
func withoutAnyArguments(batch []byte) []byte {
	return replaced(batch, "calls", func(calls []byte) []byte {
		hollow, end := make([]byte, 0, len(calls)), 0
		for item := range rawjson.Items(calls) {
			start := cap(calls) - cap(item) // items share the memory of their list
			hollow = append(append(hollow, calls[end:start]...), withoutArguments(item)...)
			end = start + len(item)
		}
		return append(hollow, calls[end:]...)
	})
}

// replaced puts another value in the place of a member's.
func replaced(object []byte, name string, by func(value []byte) []byte) []byte {
	for m := range rawjson.Members(object) {
		if m.Name() == name {
			return slices.Concat(object[:m.End-len(m.Value)], by(m.Value), object[m.End:])
		}
	}
	return object
}

// membersOf takes an object apart.
func membersOf(text []byte, at string, accepted ...string) (object, error) {
	if rawjson.KindOf(text) != rawjson.Object {
		return object{}, refuse(http.StatusBadRequest, "INVALID_FIELD", at, "an object is wanted here", accepted...)
	}
	o := object{at: at, members: map[string][]byte{}}
	for m := range rawjson.Members(text) {
		name := m.Name()
		if !slices.Contains(accepted, name) {
			return object{}, refuse(http.StatusBadRequest, "UNKNOWN_FIELD", o.field(name[:min(len(name), maxPathEcho)]), "there is no such field", accepted...)
		}
		if _, twice := o.members[name]; twice {
			return object{}, refuse(http.StatusBadRequest, "DUPLICATE_FIELD", o.field(name), "the field stands there twice")
		}
		o.members[name] = m.Value
	}
	return o, nil
}

func (o object) field(name string) string {
	if o.at == "" {
		return name
	}
	return o.at + "." + name
}

// given is a member that is there and not null.
func (o object) given(name string) ([]byte, bool) {
	value, there := o.members[name]
	return value, there && rawjson.KindOf(value) != rawjson.Null
}

func (o object) text(name string) (string, error) {
	value, there := o.given(name)
	if !there {
		return "", nil
	}
	if rawjson.KindOf(value) != rawjson.String {
		return "", refuse(http.StatusBadRequest, "INVALID_FIELD", o.field(name), "a string is wanted here")
	}
	return rawjson.Text(value), nil
}

func (o object) flag(name string) (bool, error) {
	value, there := o.given(name)
	if !there {
		return false, nil
	}
	switch rawjson.KindOf(value) {
	case rawjson.True:
		return true, nil
	case rawjson.False:
		return false, nil
	}
	return false, refuse(http.StatusBadRequest, "INVALID_FIELD", o.field(name), "a boolean is wanted here", "true", "false")
}
