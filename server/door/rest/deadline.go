package rest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"toolgate.dev/toolgate/server/door"
)

// timeoutHeader says how long the caller waits: `5s`, `250ms`, or seconds.
// Without it the deadline is the tool's [60 s].
const timeoutHeader = "Toolgate-Timeout"

const maxTimeout = 24 * time.Hour

// within is the context of a call: its caller's, until the caller's deadline.
func within(r *http.Request) (context.Context, context.CancelFunc, error) {
	ctx := door.Caller(r)
	text := r.Header.Get(timeoutHeader)
	if text == "" {
		return ctx, func() {}, nil
	}
	timeout, err := time.ParseDuration(text)
	if seconds, number := strconv.ParseFloat(text, 64); number == nil && seconds > 0 && seconds <= maxTimeout.Seconds() {
		timeout, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || timeout <= 0 || timeout > maxTimeout {
		return nil, nil, refuse(http.StatusBadRequest, "INVALID_TIMEOUT", timeoutHeader, "a duration above zero and of at most 24h is wanted here", "5s", "250ms", "1.5")
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	return ctx, cancel, nil
}
