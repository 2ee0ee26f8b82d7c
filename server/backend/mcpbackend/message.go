package mcpbackend

import (
	"encoding/json"
	"net/http"
	"strconv"

	"toolgate.dev/toolgate/internal/rawjson"
)

// question is one request of ours: tools/call, tools/list.
type question struct {
	method string
	params []byte      // one JSON object
	header http.Header // over HTTP alone; nil: none
	limit  int         // bytes of the answer that are held
}

// answer is what a question was answered with: a JSON-RPC message, or a refusal
// of the HTTP server before one.
type answer struct {
	result []byte // nil: there is a fault or a refusal
	fault  *fault
	cut    bool // the message is only the head of the whole, mended

	refusal *refusal
}

// fault is a JSON-RPC error.
type fault struct {
	code    int64
	message string
	data    []byte // JSON; nil: none
}

// refusal is an HTTP response that carries no JSON-RPC answer.
type refusal struct {
	status int
	header http.Header
	body   []byte
	size   int64 // as Reply.BodySize
}

// frame writes a question as one line.
func (q *question) frame(id int64) []byte {
	text := make([]byte, 0, len(q.params)+len(q.method)+64)
	text = append(text, `{"jsonrpc":"2.0","id":`...)
	text = strconv.AppendInt(text, id, 10)
	text = append(text, `,"method":`...)
	text = rawjson.AppendString(text, q.method)
	text = append(text, `,"params":`...)
	text = append(text, q.params...)
	return append(text, '}')
}

// cancellation tells that nobody waits for the answer any more.
func cancellation(id int64) []byte {
	text := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id, 10)
	return append(text, `,"reason":"the time for the call is over"}}`...)
}

// The methods that a server may ask a client.
const (
	methodPing        = "ping"
	methodListChanged = "notifications/tools/list_changed"
	codeNoMethod      = -32601
)

// response answers a request of the server: this client is alive, and has neither
// a model, nor a person, nor a file system to offer.
func response(id []byte, method string) []byte {
	text := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	if method == methodPing {
		return append(text, `,"result":{}}`...)
	}
	text = append(text, `,"error":{"code":`...)
	text = strconv.AppendInt(text, codeNoMethod, 10)
	text = append(text, `,"message":`...)
	text = rawjson.AppendString(text, "this client is a gateway and does not offer "+method)
	return append(text, `}}`...)
}

// message is a JSON-RPC message as far as it is needed to know where it goes.
type message struct {
	text   []byte
	id     []byte // JSON; nil: none
	method string // empty: a response
}

// readMessage takes one message apart; false where the text is none.
func readMessage(text []byte) (message, bool) {
	if rawjson.KindOf(text) != rawjson.Object {
		return message{}, false
	}
	m := message{text: text}
	if id, found := rawjson.Get(text, "id"); found && rawjson.KindOf(id) != rawjson.Null {
		m.id = id
	}
	if method, found := rawjson.Get(text, "method"); found {
		m.method = rawjson.Text(method)
		return m, m.method != ""
	}
	_, answers := rawjson.Get(text, "result")
	_, fails := rawjson.Get(text, "error")
	return m, answers || fails
}

// number is the id, where it is one of ours: some servers hand it back as a
// string.
func (m message) number() (int64, bool) {
	id, err := strconv.ParseInt(rawjson.Text(m.id), 10, 64)
	return id, err == nil && len(m.id) > 0
}

// nameless reports an error that names no question.
func (m message) nameless() bool {
	object, found := rawjson.Get(m.text, "error")
	return m.method == "" && m.id == nil && found && rawjson.KindOf(object) == rawjson.Object
}

// answer reads a response.
func (m message) answer(cut bool) *answer {
	if object, found := rawjson.Get(m.text, "error"); found && rawjson.KindOf(object) == rawjson.Object {
		return &answer{fault: readFault(object), cut: cut}
	}
	result, found := rawjson.Get(m.text, "result")
	if !found || rawjson.KindOf(result) != rawjson.Object {
		return &answer{fault: &fault{message: "the server's answer holds no result"}, cut: cut}
	}
	return &answer{result: result, cut: cut}
}

func readFault(object []byte) *fault {
	f := &fault{}
	if code, found := rawjson.Get(object, "code"); found {
		f.code, _ = strconv.ParseInt(string(code), 10, 64)
	}
	words, _ := rawjson.Get(object, "message")
	f.message = rawjson.Text(words)
	if data, found := rawjson.Get(object, "data"); found && rawjson.KindOf(data) != rawjson.Null {
		f.data = data
	}
	return f
}

// messages splits a batch; a single message is a batch of one.
func messages(text []byte) (all []message) {
	if rawjson.KindOf(text) == rawjson.Array {
		for item := range rawjson.Items(text) {
			if m, ok := readMessage(item); ok {
				all = append(all, m)
			}
		}
		return all
	}
	if m, ok := readMessage(text); ok {
		all = append(all, m)
	}
	return all
}

func valid(text []byte) bool { return len(text) > 0 && json.Valid(text) }
