package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolgate.dev/toolgate/internal/rawjson"
	"toolgate.dev/toolgate/server/door"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"

	// sessionless is the version that did away with sessions.
	sessionless = "2026-07-28"
)

// full is the answer to who would open more than there is room for.
var full = door.Problem{
	Status: http.StatusServiceUnavailable, Reason: "SESSIONS_FULL", Detail: "too many sessions are open and in use", RetryAfter: 10 * time.Second,
}

// closing is the answer to who would open what nobody would end.
var closing = door.Problem{
	Status: http.StatusServiceUnavailable, Reason: "DRAINING", Detail: "the gateway is shutting down; another replica takes the session",
}

// The methods that the transport has to know.
const (
	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
)

// ServeHTTP serves streamable HTTP.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	caller, err := d.callerOf(r)
	if err != nil {
		door.ProblemOf(err).Write(w)
		return
	}
	message, ok := d.read(w, r)
	if !ok {
		return
	}
	listens := hasMethod(message, methodListen)
	if d.closing.Load() && (listens || r.Method == http.MethodGet || hasMethod(message, methodInitialize)) {
		closing.Write(w)
		return
	}
	if r.Method == http.MethodPost && !listens {
		d.posts.add(1)
		defer d.posts.add(-1)
	}
	id := r.Header.Get(headerSession)
	switch {
	case listens:
		d.listen(w, caller.asBearer(r))
		return
	case r.Header.Get(headerVersion) >= sessionless, r.Method == http.MethodPost && id == "" && !hasMethod(message, methodInitialize):
		// Where no session is opened none is needed: old clients may do without.
		d.stateless.ServeHTTP(w, caller.asBearer(r))
		return
	case r.Method == http.MethodDelete:
		d.sessions.cutOff(id, caller.principal)
	case id == "" && r.Method == http.MethodPost && !d.sessions.makeRoom():
		full.Write(w)
		return
	}
	defer d.sessions.use(id, caller.principal)()
	d.stateful.ServeHTTP(w, caller.asBearer(r))
}

// listen serves a stream that ends with its client alone. There are as many as
// there may be sessions.
func (d *Door) listen(w http.ResponseWriter, r *http.Request) {
	defer d.listens.Add(-1)
	if d.listens.Add(1) > int64(d.settings.maxSessions) {
		full.Write(w)
		return
	}
	d.stateless.ServeHTTP(w, r)
}

// read takes the message out of a POST, tamed, and puts it back.
func (d *Door) read(w http.ResponseWriter, r *http.Request) (message []byte, ok bool) {
	if r.Method != http.MethodPost || r.Body == nil {
		return nil, true
	}
	message, err := io.ReadAll(http.MaxBytesReader(w, r.Body, door.MaxBodyBytes))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		door.Problem{
			Status: http.StatusRequestEntityTooLarge, Reason: "BODY_TOO_LARGE", Detail: "the message is larger than any arguments may be",
		}.Write(w)
		return nil, false
	case err != nil:
		door.Problem{Status: http.StatusBadRequest, Reason: "BODY_CUT", Detail: "the body ended early"}.Write(w)
		return nil, false
	}
	if message, err = d.tame(message); err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(refusal(err))
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(message))
	r.ContentLength = int64(len(message))
	return message, true
}

func hasMethod(message []byte, name string) bool {
	method, _ := rawjson.Get(message, "method")
	return rawjson.Text(method) == name
}

// refusal answers a message that is none, and so has no id.
func refusal(err error) []byte {
	text, _ := json.Marshal(map[string]any{ //nolint:errchkjson // a text and a number
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": jsonrpc.CodeParseError, "message": err.Error()},
	})
	return text
}
