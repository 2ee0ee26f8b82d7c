package mcp

import (
	"math"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// failed is the result of a call that failed: the observation, which is all that a
// model needs, and beside it what programs read.
func failed(e *toolgatev1.ToolError) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: e.GetObservation()}},
		Meta:    sdk.Meta{MetaError: protoJSON(e), metaToolFailure: toolFailureOf(e, time.Now())},
	}
}

// toolFailure is a failure in the words of the proposal SEP-3313.
type toolFailure struct {
	Class          string `json:"class"`
	Code           string `json:"code"`
	Retryable      bool   `json:"retryable"`
	RetryNotBefore int64  `json:"retryNotBefore,omitempty"` // milliseconds since 1970
	CorrelationID  string `json:"correlationId"`
	AgentGuidance  string `json:"agentGuidance,omitempty"`
}

// The classes of the proposal are ours under other names: reliability is what time
// cures, capability what another request might reach, governance what neither does.
func toolFailureOf(e *toolgatev1.ToolError, now time.Time) toolFailure {
	failure := toolFailure{Code: e.GetCode(), CorrelationID: e.GetCorrelationId()}
	switch e.GetErrorClass() {
	case toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT:
		failure.Class, failure.Retryable = "reliability", true
		failure.RetryNotBefore = now.UnixMilli() + int64(math.Ceil(e.GetRetryAfter()*1000))
		failure.AgentGuidance = "Report the delay, or repeat the identical call once it is over; don't answer from memory."
	case toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST:
		failure.Class = "capability"
		failure.AgentGuidance = "Change the arguments that are named to what is expected, then call again."
	default: // a class that nobody knows is terminal
		failure.Class = "governance"
		failure.AgentGuidance = "Don't repeat this call: take an alternative, lift what blocks it first, or report it."
	}
	return failure
}
