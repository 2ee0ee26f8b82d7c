package mcpbackend

import (
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/rawjson"
)

// Where a result's `_meta` holds a failure that speaks for itself: as a ToolError,
// as a gateway of this kind writes it, and in the shape of the proposal SEP-3313.
const (
	metaError   = "dev.toolgate/error"
	metaFailure = "io.modelcontextprotocol/toolFailure"
)

// toolErrorIn finds the server's own ToolError; nil where there is none, or one
// without a class, which says nothing.
func toolErrorIn(result []byte) *toolgatev1.ToolError {
	meta, _ := rawjson.Get(result, "_meta")
	if text, found := rawjson.Get(meta, metaError); found {
		own := &toolgatev1.ToolError{}
		err := protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(text, own)
		if err == nil && own.GetErrorClass() != toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED {
			return own
		}
	}
	if text, found := rawjson.Get(meta, metaFailure); found {
		return proposed(text, result)
	}
	return nil
}

// proposed reads the proposal's shape. Its message is what the result says as text:
// the guidance is for an agent of that server, and our own stands beside it.
func proposed(text, result []byte) *toolgatev1.ToolError {
	own := &toolgatev1.ToolError{Code: member(text, "code"), Message: strings.Join((&answer{result: result}).texts(), " ")}
	switch member(text, "class") {
	case "reliability":
		own.ErrorClass = interceptors.Transient
		own.RetryAfter = untilMillis(text, "retryNotBefore", time.Now())
	case "capability":
		own.ErrorClass = interceptors.InvalidRequest
	case "governance":
		own.ErrorClass = interceptors.Terminal
	default:
		return nil
	}
	if retryable, found := rawjson.Get(text, "retryable"); found && rawjson.KindOf(retryable) == rawjson.False && own.GetErrorClass() == interceptors.Transient {
		own.ErrorClass, own.RetryAfter = interceptors.Terminal, nil
	}
	return own
}

// untilMillis is the time until a moment in milliseconds since 1970, in seconds.
func untilMillis(object []byte, name string, now time.Time) *float64 {
	value, found := rawjson.Get(object, name)
	if !found {
		return nil
	}
	at, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.IsNaN(at) || math.IsInf(at, 0) {
		return nil
	}
	seconds := max(0, (at-float64(now.UnixMilli()))/1000)
	return &seconds
}
