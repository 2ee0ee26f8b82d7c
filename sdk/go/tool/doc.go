// Package tool is for whoever writes the tools that a gateway calls: the best
// place to say what a failure means is the tool itself.
//
// A failure is one line, over HTTP and over gRPC the same:
//
//	return tool.InvalidRequest("bad_date", "start_date is no date", tool.Violation{Field: "start_date", Format: "YYYY-MM-DD"})
//	return tool.Terminal("insufficient_funds", "42.10 is less than 150.00").BlockedBy("balance", "request_deposit")
//	return tool.Transient("maintenance", "back in half a minute", 30*time.Second)
//
// [Handler] and [Middleware] write it over HTTP: the body, the status and
// Retry-After. A gRPC handler returns it as it is. The gateway takes its word
// where the upstream is marked `speaks: toolgate` in the catalogue, or, over gRPC,
// always.
package tool
