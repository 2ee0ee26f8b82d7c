package tool

import (
	"errors"
	"math"
	"net/http"
	"strconv"
)

// Write answers a request with the failure: the canonical body, the status for
// consumers that look only there, and Retry-After.
func (f *Failure) Write(w http.ResponseWriter) {
	text, err := f.MarshalJSON()
	if err != nil { // what could fail was left out before
		text = []byte(`{"error":"internal_error","class":"terminal","retryable":false,"message":"internal error","maybe_executed":true}`)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Del("Content-Length")
	if f.class == transient && f.retryAfter > 0 {
		header.Set("Retry-After", strconv.FormatInt(int64(math.Ceil(f.retryAfter.Seconds())), 10))
	}
	w.WriteHeader(f.status)
	_, _ = w.Write(text)
}

// Handler is a handler that returns its failure. An error that is no *Failure, and
// a panic, is answered by a body that says nothing of it: terminal, `internal_error`,
// status 500, and the call may have taken effect. The Middleware around it hears of
// both; where there is none they stand in the server's log.
type Handler func(http.ResponseWriter, *http.Request) error

// ServeHTTP answers a request. Where the handler fails once it has begun to answer,
// the connection is cut: half an answer is none.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	errored, panicked := listeners(w)
	Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		if _, meant := errors.AsType[*Failure](err); !meant {
			errored(r, err)
		}
		if b, ok := w.(*began); ok && b.yes {
			panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's own way to cut a connection
		}
		From(err).Write(w)
	}), panicked).ServeHTTP(w, r)
}

// From is the *Failure within an error; any other error is an internal one, of
// which nothing is said.
func From(err error) *Failure {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure
	}
	return unexpected()
}

// unexpected is what a caller hears of a fault of the tool's own.
func unexpected() *Failure {
	f := Terminal("internal_error", "The tool failed for a reason of its own.").MaybeExecuted()
	f.status = http.StatusInternalServerError
	return f
}

// Middleware answers a panic by a body without its stack; told hears what was
// recovered, and what a Handler within returned that is no *Failure, to log it; nil
// logs it as net/http would a panic, with its stack. Where the answer has begun, the
// connection is cut: half an answer is none.
func Middleware(next http.Handler, told func(*http.Request, any)) http.Handler {
	errored, panicked := told, told
	if told == nil {
		errored, panicked = report, reportPanic
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := &began{ResponseWriter: w, errored: errored, panicked: panicked}
		defer func() {
			caught := recover()
			if caught == nil {
				return
			}
			err, isError := caught.(error)
			if isError && errors.Is(err, http.ErrAbortHandler) {
				panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's own way to cut a connection
			}
			panicked(r, caught)
			if begun.yes {
				panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's own way to cut a connection
			}
			if isError {
				From(err).Write(w)
				return
			}
			unexpected().Write(w)
		}()
		next.ServeHTTP(begun, r)
	})
}

// began notes whether an answer has begun, and who hears of faults.
type began struct {
	http.ResponseWriter

	errored, panicked func(*http.Request, any)
	yes               bool
}

// WriteHeader begins an answer, unless it is an informational one.
func (b *began) WriteHeader(status int) {
	b.yes = b.yes || status >= http.StatusOK
	b.ResponseWriter.WriteHeader(status)
}

// Write begins an answer.
func (b *began) Write(p []byte) (int, error) {
	b.yes = true
	return b.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (b *began) Unwrap() http.ResponseWriter { return b.ResponseWriter }
