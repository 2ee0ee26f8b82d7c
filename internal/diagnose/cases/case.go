package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
)

// Case is one recorded failure.
type Case struct {
	ID           string    `json:"id"`
	Transport    string    `json:"transport"` // http (default) or grpc
	Request      Request   `json:"request"`
	Response     *Response `json:"response"`
	NetworkError string    `json:"network_error"`
}

// Request is what a catalogue would know of the call.
type Request struct {
	Method    string          `json:"method"` // an HTTP method, or a full gRPC method
	Host      string          `json:"host"`
	Provider  string          `json:"provider"`
	Arguments json.RawMessage `json:"arguments"`
}

// Response is what came back; an HTTP response has a status, a gRPC failure a
// code.
type Response struct {
	Status  int             `json:"status"`
	Headers Headers         `json:"headers"`
	Body    Body            `json:"body"`
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
}

// Headers are response headers: a text, or a list of texts per name.
type Headers map[string][]string

// UnmarshalJSON takes both forms of a value.
func (h *Headers) UnmarshalJSON(b []byte) error {
	var raw map[string]any
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*h = Headers{}
	for name, value := range raw {
		name = textproto.CanonicalMIMEHeaderKey(name)
		switch v := value.(type) {
		case []any:
			for _, one := range v {
				(*h)[name] = append((*h)[name], fmt.Sprint(one))
			}
		case nil:
		default:
			(*h)[name] = append((*h)[name], fmt.Sprint(v))
		}
	}
	return nil
}

// Body is the response's body: a text as it came, or JSON in place of one.
type Body []byte

// UnmarshalJSON takes a JSON string as the text that it holds, anything else
// as the body itself.
func (b *Body) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*b = Body(text)
		return nil
	}
	if string(raw) != "null" {
		*b = append(Body(nil), raw...)
	}
	return nil
}

// Read parses one line.
func Read(line []byte) (*Case, error) {
	var c Case
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, fmt.Errorf("a case is one JSON object per line: %w", err)
	}
	if c.Response == nil && c.NetworkError == "" {
		return nil, errors.New("a case needs a response or a network_error")
	}
	return &c, nil
}

// Input makes of a case what diagnose.Engine.Diagnose takes. The effect comes
// from the method, as a catalogue's default would: GET and HEAD are reads, PUT
// and DELETE idempotent, a gRPC method a read, all else a write. Now is the
// response's Date, and zero where it has none.
func (c *Case) Input() diagnose.Input {
	in := diagnose.Input{
		Tool: &interceptors.Tool{
			Name:   "tool",
			Effect: effectOf(c.Request.Method),
			Diagnosis: interceptors.DiagnosisHint{
				Host: c.Request.Host, Provider: c.Request.Provider, Method: c.Request.Method,
			},
		},
		Arguments: c.Request.Arguments,
		Reply:     &interceptors.Reply{Transport: interceptors.TransportHTTP},
	}
	grpc := strings.EqualFold(c.Transport, "grpc")
	if grpc {
		in.Reply.Transport = interceptors.TransportGRPC
	}
	switch {
	case c.NetworkError != "":
		failTransport(in.Reply, c.NetworkError)
	case grpc:
		fillGRPC(in.Reply, c.Response)
	default:
		in.Reply.Status, in.Reply.Header, in.Reply.Body = c.Response.Status, c.Response.Headers, c.Response.Body
		in.Reply.Sent = true
	}
	if values := in.Reply.Header["Date"]; len(values) > 0 {
		in.Now, _ = http.ParseTime(values[0])
	}
	return in
}

// fillGRPC hands details over in their JSON form, since their types need not be
// known here.
func fillGRPC(reply *interceptors.Reply, r *Response) {
	reply.Status, reply.Message, reply.Header = diagnose.CanonicalCode(r.Code), r.Message, r.Headers
	if len(r.Details) > 0 {
		reply.Body = append(append([]byte(`{"details":`), r.Details...), '}')
	}
	reply.Sent = true
}

func effectOf(method string) toolgatev1.Effect {
	switch {
	case method == http.MethodGet, method == http.MethodHead, strings.HasPrefix(method, "/"):
		return toolgatev1.Effect_EFFECT_READ
	case method == http.MethodPut, method == http.MethodDelete:
		return toolgatev1.Effect_EFFECT_IDEMPOTENT
	}
	return toolgatev1.Effect_EFFECT_WRITE
}

// Now is a convenience for callers that have no Date to go by.
func Now(in diagnose.Input, now time.Time) diagnose.Input {
	if in.Now.IsZero() {
		in.Now = now
	}
	return in
}
