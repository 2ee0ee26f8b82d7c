// Package toolgate is the Go client of a toolgate gateway.
//
// A call ends in one of two ways: a [Result], or an error. An error that is a
// [*ToolError] is the tool's failure, and its Class says what to do next:
//
//	result, err := client.Call(ctx, run, "book_slot", arguments)
//	var failed *toolgate.ToolError
//	switch {
//	case err == nil:
//		transcript.Append(result.Text())
//	case !errors.As(err, &failed):
//		return err // the gateway or this program is at fault, not the tool
//	case failed.Class == toolgate.Transient:
//		// the moment is wrong: wait failed.RetryAfter, send the identical call
//	default:
//		transcript.AppendError(failed.Observation) // the model's turn
//	}
//
// A client made with [WithTransientWait] does the waiting itself. Any other
// error is a gRPC status: [Reason] tells why.
//
// The gateway retries what time cures, so the client must not: gRPC's own
// retries are off.
package toolgate
