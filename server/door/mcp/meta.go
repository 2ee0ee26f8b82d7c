package mcp

import (
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc/metadata"
)

// What a request may say in _meta. Other keys of this prefix are not looked at.
const (
	// MetaRunID is the run of the call, a string of 1 to 128 bytes. In results: the
	// run that the call was counted in.
	MetaRunID = "dev.toolgate/run_id"
	// MetaCallID is ToolCall.call_id, a string of at most 128 bytes. The id of the
	// JSON-RPC request is not taken for it: it may be used again.
	MetaCallID = "dev.toolgate/call_id"
	// MetaWantAlternatives is ToolCall.want_alternatives, a boolean.
	MetaWantAlternatives = "dev.toolgate/want_alternatives"
	// MetaFresh is ToolCall.fresh, a boolean.
	MetaFresh = "dev.toolgate/fresh"
	// MetaStructured asks for a result's JSON in structuredContent in place of text,
	// a boolean.
	MetaStructured = "dev.toolgate/structured"
)

// What a result says in _meta.
const (
	// MetaError is the ToolError of a failed call, as ProtoJSON.
	MetaError = "dev.toolgate/error"
	// MetaResult is the ToolResult without the answer itself, as ProtoJSON:
	// coercions, attempts, counts.
	MetaResult = "dev.toolgate/result"
	// MetaCatalogVersion is ListToolsResponse.catalog_version, in lists.
	MetaCatalogVersion = "dev.toolgate/catalog_version"
	// metaToolFailure is the failure in the shape of SEP-3313, a proposal.
	metaToolFailure = "io.modelcontextprotocol/toolFailure"
)

// HeaderRunID is MetaRunID as a header, for hosts that can set nothing else.
const HeaderRunID = "Toolgate-Run-Id"

const maxIDBytes = 128

// wishes are what a call's _meta asks for.
type wishes struct {
	run, call                    string
	alternatives, fresh, program bool
}

// wishesOf reads _meta. What is there must be of its kind: a run id that is no
// string would send the call to another run in silence.
func wishesOf(meta sdk.Meta) (w wishes, err error) {
	read := func(kind func(sdk.Meta, string) error, name string) {
		if err == nil {
			err = kind(meta, name)
		}
	}
	read(text(&w.run, 1), MetaRunID)
	read(text(&w.call, 0), MetaCallID)
	read(flag(&w.alternatives), MetaWantAlternatives)
	read(flag(&w.fresh), MetaFresh)
	read(flag(&w.program), MetaStructured)
	return w, err
}

func text(into *string, least int) func(sdk.Meta, string) error {
	return func(meta sdk.Meta, name string) error {
		value, ok := meta[name]
		if !ok || value == nil {
			return nil
		}
		found, ok := value.(string)
		if !ok || len(found) < least || len(found) > maxIDBytes {
			return invalidParams("META_INVALID", "_meta."+name, fmt.Sprintf("a string of %d to %d bytes is accepted", least, maxIDBytes))
		}
		*into = found
		return nil
	}
}

func flag(into *bool) func(sdk.Meta, string) error {
	return func(meta sdk.Meta, name string) error {
		value, ok := meta[name]
		if !ok || value == nil {
			return nil
		}
		if *into, ok = value.(bool); !ok {
			return invalidParams("META_INVALID", "_meta."+name, "true or false is accepted")
		}
		return nil
	}
}

// traced are the keys of _meta that carry a trace (SEP-414).
var traced = []string{"traceparent", "tracestate", "baggage"}

// withTrace adds the trace of the request to the metadata of its carrier: it knows
// the call, the carrier's headers may know the connection alone.
func withTrace(md metadata.MD, meta map[string]any) metadata.MD {
	for _, name := range traced {
		if value, ok := meta[name].(string); ok && value != "" {
			md.Set(name, value)
		}
	}
	return md
}
