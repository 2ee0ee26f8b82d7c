package diagnose

import (
	"regexp"

	"toolgate.dev/toolgate/interceptors"
)

// The codes of JSON-RPC 2.0, section 5.1, that say that nothing was run.
const (
	rpcParse         = -32700
	rpcRequest       = -32600
	rpcMethod        = -32601
	rpcParams        = -32602
	rpcReservedFrom  = -32099 // codes of the protocol itself, from -32020 down:
	rpcReservedTo    = -32020 // about a request's form
	noteUnclassified = "the class is a guess: the tool says only that it failed"
)

// byTool reports a failure in a tool's own words, without a status: those of an MCP
// server that wrap one have it.
func (r *reading) byTool() bool {
	return r.reply.Transport == interceptors.TransportMCP && !r.http()
}

// mcpStatus is what is left to say of a failure that no rung above knew. A result
// that is an error is what the protocol has for all that a model can do something
// about; its sentence is shown. An error of the protocol is nothing a model can
// mend, except where the parameters are wrong: servers use its codes for whatever
// went wrong inside, so that nobody knows whether something was run.
func (r *reading) mcpStatus() statusEntry {
	switch code := r.status; {
	case code >= 0 && r.form == formHTML: // a page of somebody behind the tool
		entry := titleStatus(scanPage(r.html))
		entry.down = false
		return entry
	case code >= 0:
		return statusEntry{list: "invalid_request"}
	case code == rpcParams:
		return r.wrongParams()
	case code == rpcParse, code == rpcRequest, code == rpcMethod, code >= rpcReservedFrom && code <= rpcReservedTo:
		return statusEntry{list: "terminal"}
	}
	return statusEntry{list: "terminal", maybe: true}
}

// The sentences, from their start, in which the SDKs use the code for parameters
// that are wrong for something else.
var (
	rpcUnknownTool = regexp.MustCompile(`^(?i:(mcp error -?\d+: )?(unknown tool|tool [^ ]{1,130} (not found|disabled|does not exist|is disabled)|no such tool))`)
	rpcWrongResult = regexp.MustCompile(`^(?i:(mcp error -?\d+: )?(output validation error|tool [^ ]{1,130} has an output schema|structured content does not match))`)
)

func (r *reading) wrongParams() statusEntry {
	said := orElse(messageIn(r.root), r.text)
	switch {
	case rpcUnknownTool.MatchString(said):
		return statusEntry{list: "terminal"}
	case rpcWrongResult.MatchString(said): // it was run, and its answer is lost
		return statusEntry{list: "terminal", maybe: true}
	}
	return statusEntry{list: "invalid_request"}
}
