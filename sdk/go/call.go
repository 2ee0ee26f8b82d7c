package toolgate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Call is one call of one tool.
type Call struct {
	Tool string // as ListTools names it
	// Args are the arguments. A string, []byte or json.RawMessage is JSON text
	// and is sent as it stands, malformed or not, which is right for what a model
	// wrote; nil is no arguments; anything else is marshalled to JSON. What is not
	// UTF-8 or has no JSON is an error of this call.
	Args any
	// ID names the call within its run, at most 128 bytes. A resend under the
	// same ID joins the running call or gets its outcome. Empty: a call of its own.
	ID string
	// WantAlternatives also runs the lookups that are made on request only.
	WantAlternatives bool
	// Fresh lifts the gateway's memory of this call, after a person acted.
	Fresh bool
	// Progress hears what the gateway does meanwhile; for people and logs. It is
	// called on the goroutine that waits for the call. Nil: nobody listens.
	Progress func(*toolgatev1.CallProgress)
}

// Result is a tool's answer.
type Result struct{ *toolgatev1.ToolResult }

// Text is what a transcript shows: the JSON of a structured answer, digits as
// received, else its text blocks.
func (r *Result) Text() string {
	if text := r.GetStructuredJson(); text != "" {
		return text
	}
	var texts []string
	for _, block := range r.GetContent() {
		if text := block.GetText(); text != nil {
			texts = append(texts, text.GetText())
		}
	}
	return strings.Join(texts, "\n")
}

// String is Text.
func (r *Result) String() string { return r.Text() }

// Decode unmarshals a structured answer; an answer that is not JSON is an error.
func (r *Result) Decode(into any) error {
	if r.GetStructuredJson() == "" {
		return errors.New("toolgate: the tool's answer is not JSON")
	}
	return json.Unmarshal([]byte(r.GetStructuredJson()), into)
}

// Call runs one call of tool to its outcome. args are as in [Call]. The error
// is a *[ToolError] where the tool failed, else a gRPC status.
func (c *Client) Call(ctx context.Context, run, tool string, args any) (*Result, error) {
	return c.Do(ctx, run, Call{Tool: tool, Args: args})
}

// Do is Call with everything that a call can carry.
func (c *Client) Do(ctx context.Context, run string, call Call) (*Result, error) {
	msg, err := call.message()
	if err != nil {
		return nil, err
	}
	for start := time.Now(); ; {
		result, err := c.send(ctx, run, msg, call.Progress)
		wait, ok := patience(ctx, err, c.transientWait-time.Since(start))
		if !ok {
			return result, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, err // the failure says more than that the caller left
		}
	}
}

func (c *Client) send(ctx context.Context, run string, msg *toolgatev1.ToolCall, progress func(*toolgatev1.CallProgress)) (*Result, error) {
	if progress != nil {
		return c.stream(ctx, run, msg, progress)
	}
	response, err := c.gateway.CallTool(ctx, &toolgatev1.CallToolRequest{RunId: run, Call: msg})
	if err != nil {
		return nil, err
	}
	return outcome(response)
}

// shortestWait keeps a `retry_after` of zero from becoming a busy loop.
const shortestWait = 50 * time.Millisecond

// WaitWithin tells how long to wait before the identical call is sent again, and
// whether to wait at all: only for a transient failure that is not exhausted,
// where the wait fits into limit and ends before ctx does. It is at least 50 ms.
func (e *ToolError) WaitWithin(ctx context.Context, limit time.Duration) (time.Duration, bool) {
	if e.Class != Transient || e.Exhausted {
		return 0, false
	}
	wait := max(e.RetryAfter, shortestWait)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return 0, false
	}
	return wait, wait <= limit
}

func patience(ctx context.Context, err error, left time.Duration) (time.Duration, bool) {
	var failed *ToolError
	if !errors.As(err, &failed) {
		return 0, false
	}
	return failed.WaitWithin(ctx, left)
}

func outcome(response *toolgatev1.CallToolResponse) (*Result, error) {
	switch {
	case response.GetResult() != nil:
		return &Result{response.GetResult()}, nil
	case response.GetError() != nil:
		return nil, newToolError(response.GetError())
	}
	return nil, errors.New("toolgate: the gateway sent an outcome that this client does not know")
}

func (c Call) message() (*toolgatev1.ToolCall, error) {
	text, err := argumentsText(c.Args)
	if err != nil {
		return nil, fmt.Errorf("toolgate: arguments of %s: %w", c.Tool, err)
	}
	return &toolgatev1.ToolCall{
		CallId: c.ID, Tool: c.Tool, ArgumentsJson: text,
		WantAlternatives: c.WantAlternatives, Fresh: c.Fresh,
	}, nil
}

// errNotText keeps bytes that protobuf refuses from failing the calls beside them.
var errNotText = errors.New("not UTF-8")

func argumentsText(args any) (string, error) {
	text, err := writtenText(args)
	if err == nil && !utf8.ValidString(text) {
		err = errNotText
	}
	return text, err
}

func writtenText(args any) (string, error) {
	switch text := args.(type) {
	case nil:
		return "", nil
	case string:
		return text, nil
	case []byte:
		return string(text), nil
	case json.RawMessage:
		return string(text), nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // what the tool sees should read as it was written
	err := encoder.Encode(args)
	return strings.TrimSuffix(text.String(), "\n"), err
}
