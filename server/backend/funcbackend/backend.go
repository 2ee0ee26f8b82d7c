package funcbackend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Function is a tool in Go. arguments is one JSON object, checked against the
// tool's schema, and the function's to keep. It must be safe for concurrent use
// and should end when ctx does. See Fail for errors that know what the caller
// should do, and IdempotencyKey.
type Function func(ctx context.Context, arguments json.RawMessage) (any, error)

// PanicHook is told of a function's panic; it must be safe for concurrent use.
type PanicHook func(call *interceptors.Call, value any, stack []byte)

// failedStatus marks the reply of a function that returned an ordinary error.
// Functions have no statuses; zero means success.
const failedStatus = 1

// Backend runs one function. It implements interceptors.Backend and is safe for
// concurrent use.
type Backend struct {
	function Function
	panicked PanicHook
}

// Option changes a Backend.
type Option func(*Backend)

// WithPanicHook sets who is told of panics. Default: nobody.
func WithPanicHook(hook PanicHook) Option {
	return func(b *Backend) { b.panicked = hook }
}

// New makes a back end of a function.
func New(function Function, options ...Option) (*Backend, error) {
	if function == nil {
		return nil, errors.New("a function is missing")
	}
	b := &Backend{function: function, panicked: func(*interceptors.Call, any, []byte) {}}
	for _, option := range options {
		option(b)
	}
	return b, nil
}

type keyOfKey struct{}

// IdempotencyKey is the key of the call that ctx belongs to: the same for every
// attempt of it. Empty where the tool has none.
func IdempotencyKey(ctx context.Context) string {
	key, _ := ctx.Value(keyOfKey{}).(string)
	return key
}

// Attempt implements interceptors.Backend.
func (b *Backend) Attempt(ctx context.Context, call *interceptors.Call) *interceptors.Reply {
	if ctx.Err() != nil {
		return ended(ctx, false)
	}
	if call.IdempotencyKey != "" {
		ctx = context.WithValue(ctx, keyOfKey{}, call.IdempotencyKey)
	}
	arguments := bytes.Clone(call.Arguments.JSON)
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	done := make(chan *interceptors.Reply, 1) // a function that comes back late disturbs nobody
	go func() { done <- b.run(ctx, call, arguments) }()
	select {
	case reply := <-done:
		return reply
	case <-ctx.Done():
		select {
		case reply := <-done:
			return reply
		default:
			return ended(ctx, true)
		}
	}
}

// run runs the function on a goroutine of its own.
func (b *Backend) run(ctx context.Context, call *interceptors.Call, arguments json.RawMessage) (reply *interceptors.Reply) {
	defer func() {
		if value := recover(); value != nil {
			b.panicked(call, value, debug.Stack())
			reply = internal()
		}
	}()
	value, err := b.function(ctx, arguments)
	if err != nil {
		return failed(ctx, err)
	}
	if reply, err = answer(value); err != nil {
		return text(err)
	}
	return reply
}

// ended is the reply of a call whose time was over.
func ended(ctx context.Context, sent bool) *interceptors.Reply {
	kind := interceptors.FailureCancelled
	if interceptors.TimedOut(ctx) {
		kind = interceptors.FailureTimeout
	}
	return &interceptors.Reply{Transport: interceptors.TransportFunction, Failure: kind, Cause: ctx.Err().Error(), Sent: sent}
}

func failed(ctx context.Context, err error) *interceptors.Reply {
	if carried := carriedBy(err); carried != nil {
		return &interceptors.Reply{Transport: interceptors.TransportFunction, ToolError: carried, Sent: true}
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ended(ctx, true)
	case errors.Is(err, context.DeadlineExceeded): // a deadline of the function's own
		return &interceptors.Reply{
			Transport: interceptors.TransportFunction, Failure: interceptors.FailureTimeout, Cause: textOf(err), Sent: true,
		}
	}
	return text(err)
}

// carriedBy finds the ToolError of an error; one without a class tells nothing.
func carriedBy(err error) *toolgatev1.ToolError {
	var carrier Carrier
	if !errors.As(err, &carrier) {
		return nil
	}
	carried := carrier.ToolError()
	if carried.GetErrorClass() == toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED {
		return nil
	}
	return proto.CloneOf(carried)
}

func text(err error) *interceptors.Reply {
	words := textOf(err)
	return &interceptors.Reply{
		Transport: interceptors.TransportFunction, Status: failedStatus, Message: words, Body: []byte(words),
		Header: map[string][]string{"Content-Type": {"text/plain; charset=utf-8"}}, Sent: true,
	}
}

// internal is the reply of a function that panicked: this call is over, and may
// have done something.
func internal() *interceptors.Reply {
	return &interceptors.Reply{
		Transport: interceptors.TransportFunction, Sent: true,
		ToolError: &toolgatev1.ToolError{
			ErrorClass: interceptors.Terminal, Code: interceptors.CodeInternal, MaybeExecuted: true,
			Message: "The tool failed inside; the call can't be answered.",
		},
	}
}
