package tool

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// listeners hear of what nobody meant, of errors and of panics: the nearest Middleware
// around w, else the server's log.
func listeners(w http.ResponseWriter) (errored, panicked func(*http.Request, any)) {
	for {
		if b, ok := w.(*began); ok {
			return b.errored, b.panicked
		}
		outer, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return report, reportPanic
		}
		w = outer.Unwrap()
	}
}

// reportPanic is report with the stack. A failure that was thrown was meant, and the
// caller is told all of it.
func reportPanic(r *http.Request, caught any) {
	err, isError := caught.(error)
	if _, meant := errors.AsType[*Failure](err); isError && meant {
		return
	}
	report(r, fmt.Sprintf("panic: %v\n%s", caught, debug.Stack()))
}

// report writes a fault to where net/http writes of panics: nobody else hears of it.
func report(r *http.Request, fault any) {
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.ErrorLog != nil {
		server.ErrorLog.Printf("toolgate: %s %s failed: %v", r.Method, r.URL.Path, fault)
		return
	}
	slog.ErrorContext(r.Context(), "toolgate: a tool failed", "method", r.Method, "path", r.URL.Path, "fault", fault) //nolint:forbidigo // nobody handed one in, and silence would lose the fault
}
