package main

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// outcome tells how a call ended.
func outcome(index int, result *toolgate.Result, err error) *conformancev1.Outcome {
	told := &conformancev1.Outcome{Index: uint32(index)}
	var failed *toolgate.ToolError
	switch {
	case err == nil:
		told.Outcome = &conformancev1.Outcome_Result{Result: &conformancev1.Answered{Message: result.ToolResult, Text: result.Text()}}
	case errors.As(err, &failed):
		told.Outcome = &conformancev1.Outcome_Failed{Failed: failure(failed)}
	default:
		told.Outcome = &conformancev1.Outcome_Rpc{Rpc: &conformancev1.RpcFailure{Code: codeOf(err), Reason: toolgate.Reason(err)}}
	}
	return told
}

func failure(failed *toolgate.ToolError) *conformancev1.Failed {
	told := &conformancev1.Failed{
		ErrorClass: string(failed.Class), Code: failed.Code, Message: failed.Message, Exhausted: failed.Exhausted,
		Violations: failed.Violations, Alternatives: failed.Alternatives,
		BlockedBy: failed.BlockedBy, UnblockWith: failed.UnblockWith,
		Observation: failed.Observation, Error: failed.Proto(),
	}
	if failed.RetryAfter != 0 {
		told.RetryAfter = proto.Float64(failed.RetryAfter.Seconds())
	}
	return told
}

// codeOf is a gRPC code as the protocol spells it.
func codeOf(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "CANCELLED"
	case errors.Is(err, context.DeadlineExceeded):
		return "DEADLINE_EXCEEDED"
	}
	code := status.Code(err)
	if code == codes.Canceled {
		return "CANCELLED"
	}
	var name strings.Builder
	for i, letter := range code.String() {
		if unicode.IsUpper(letter) && i > 0 {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToUpper(letter))
	}
	return name.String()
}
