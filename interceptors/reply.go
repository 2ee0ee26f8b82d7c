package interceptors

import toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"

// Reply is what one attempt brought back, raw. It is read by dispatch and
// diagnose, and neither stored nor logged.
type Reply struct {
	Transport Transport

	// Status is the HTTP status, the gRPC code or, below zero, the JSON-RPC code
	// of an MCP server; 1 of a back end that has none and failed. Meaningful only
	// where Failure is FailureNone.
	Status  int
	Message string              // gRPC status message; empty for HTTP
	Header  map[string][]string // canonical MIME header keys; gRPC trailers too
	Body    []byte              // at most the tool's limit plus what diagnose needs
	Details []byte              // encoded google.rpc.Status of a gRPC failure; nil: none
	// BodySize is the size of the whole body where Body is only its head;
	// 0 when Body is whole; -1 when it is cut and the size is not known.
	BodySize int64

	// Result is the answer of a back end that speaks in content blocks already;
	// nil for HTTP.
	Result *toolgatev1.ToolResult
	// ToolError is the upstream's own, from a back end that may speak it.
	ToolError *toolgatev1.ToolError

	// Failure says how the transport failed; FailureNone when an answer came.
	Failure TransportFailure
	// Cause is the transport's error text, for diagnosis alone: it may name
	// hosts and addresses.
	Cause string
	// Sent reports that bytes of the request may have reached the upstream.
	Sent bool
}

// Transport is how an upstream is spoken to.
type Transport int

// The transports.
const (
	TransportHTTP Transport = iota
	TransportGRPC
	TransportMCP
	TransportFunction
)

// TransportFailure is how an attempt failed below the protocol.
type TransportFailure int

// The kinds of transport failure.
const (
	FailureNone           TransportFailure = iota
	FailureRefused                         // connection refused, no route
	FailureDNSTemporary                    // the resolver failed
	FailureDNSNotFound                     // the name does not exist
	FailureTLSHandshake                    // cut or timed out in the handshake
	FailureTLSCertificate                  // the certificate was rejected
	FailureReset                           // reset or closed before a status
	FailureTimeout                         // the attempt's own timeout
	FailureBodyCut                         // the body ended early
	FailureCancelled                       // the caller went away or its deadline passed
	FailureRequest                         // the request could not be built or is refused by policy
	FailureOther                           // anything else
)

// Executed says whether an attempt took effect.
type Executed int

// Whether an attempt took effect.
const (
	ExecutedUnknown Executed = iota // nobody has said; diagnose decides
	ExecutedNo
	ExecutedMaybe
)

// Scope is what a wait holds for.
type Scope int

// What a wait holds for.
const (
	ScopeTool    Scope = iota // (upstream, tool)
	ScopeAccount              // the whole upstream
)
