package mcpbackend

import (
	"regexp"
	"strconv"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/rawjson"
)

// The codes of JSON-RPC and of the protocol lie in this range. What they say of a
// call is for the diagnosis to judge, and never alone: most servers use them for
// whatever goes wrong. Codes outside are the server's own.
const (
	reservedFrom = -32768
	reservedTo   = -32000
)

// failedStatus marks a failure that has no status: a tool's own words.
const failedStatus = 1

// codeInputURL asks for a person who opens an address (2025-11-25).
const codeInputURL = -32042

func (f *fault) reserved() bool { return f.code >= reservedFrom && f.code <= reservedTo }

// unknownTool are the sentences, from their start, in which servers say that there is
// no such tool.
var unknownTool = regexp.MustCompile(`^(?i:(mcp error -?\d+: )?(unknown tool|tool [^ ]{1,130} (not found|does not exist)))`)

// outdated reports that the server has not the tool any more that it listed.
func (f *fault) outdated() bool {
	return f.code == codeNoMethod || unknownTool.MatchString(f.message)
}

// status is what Reply.Status says: a reserved code, an HTTP status that a server
// uses for its code, else that it failed.
func (f *fault) status() int {
	switch {
	case f.reserved():
		return int(f.code)
	case f.code >= 400 && f.code < 600:
		return int(f.code)
	}
	return failedStatus
}

// body is the fault as JSON: what it says, without a code that says nothing.
func (f *fault) body() []byte {
	text := []byte{'{'}
	if f.code != 0 && !f.reserved() {
		text = rawjson.AppendMember(text, "code", strconv.AppendInt(nil, f.code, 10))
	}
	if said := unwrap(f.message); said.kind == mediaJSON && f.data == nil {
		return said.body
	}
	text = rawjson.AppendMember(text, "message", rawjson.AppendString(nil, f.message))
	if f.data != nil {
		text = rawjson.AppendMember(text, "data", f.data)
	}
	return append(text, '}')
}

func (f *fault) reply() *interceptors.Reply {
	if f.code == codeInputURL {
		return needsPerson(f.message)
	}
	status := f.status()
	if http := statusIn(f.message); http != 0 {
		status = http
	}
	return &interceptors.Reply{
		Transport: interceptors.TransportMCP, Status: status, Body: f.body(), Sent: true,
		Header: map[string][]string{"Content-Type": {mediaJSON}},
	}
}

// needsPerson is the reply of a tool that waits for a person's input, which a
// gateway can't give.
func needsPerson(words string) *interceptors.Reply {
	if words == "" {
		words = "The tool needs input from a person, which can't be given here."
	}
	return told(&toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: "input_required", Message: words, BlockedBy: "user_input",
	})
}

func told(e *toolgatev1.ToolError) *interceptors.Reply {
	return &interceptors.Reply{Transport: interceptors.TransportMCP, Status: failedStatus, ToolError: e, Sent: true}
}
