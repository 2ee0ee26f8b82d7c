package alternatives

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	maxAlternatives = 3
	// maxLooked bounds what is looked at of a list: one that long has more.
	maxLooked = 32
)

// Lookup makes one attempt at a tool on behalf of a failed call. It honours
// ctx.
type Lookup func(ctx context.Context, failed *interceptors.Call, tool, argumentsJSON string) (*interceptors.Outcome, error)

// Usable keeps, in their order, the alternatives that this caller may use and
// that repeat does not hold in this run; the failed call itself is none. An
// alternative without arguments stands for its tool as such.
type Usable func(ctx context.Context, failed *interceptors.Call, offered []*toolgatev1.Alternative) []*toolgatev1.Alternative

// Ready reports whether a tool's upstream would take an attempt now.
type Ready func(tool string) bool

// Room offers alternatives. It is safe for concurrent use.
type Room struct {
	lookup Lookup
	usable Usable
	ready  Ready
}

// New makes the room; all three must be safe for concurrent use. Nil means: no
// lookups; everything is usable; everything is ready.
func New(lookup Lookup, usable Usable, ready Ready) *Room {
	if usable == nil {
		usable = func(_ context.Context, _ *interceptors.Call, offered []*toolgatev1.Alternative) []*toolgatev1.Alternative {
			return offered
		}
	}
	if ready == nil {
		ready = func(string) bool { return true }
	}
	return &Room{lookup: lookup, usable: usable, ready: ready}
}

// complete gives a failure the alternatives that it should have.
func (r *Room) complete(ctx context.Context, call *interceptors.Call, outcome *interceptors.Outcome) {
	failure := outcome.Error
	switch {
	case failure == nil, outcome.FromMemory, outcome.Unknown():
		return
	case failure.GetExhausted():
		failure.AlternativesTruncated = false
		r.offer(ctx, call, failure, copies(call.Tool.Fallbacks))
	case len(failure.GetAlternatives()) > 0:
		r.offer(ctx, call, failure, failure.GetAlternatives())
	case failure.GetErrorClass() == interceptors.Terminal && !failure.GetMaybeExecuted() && r.wanted(ctx, call):
		r.offer(ctx, call, failure, r.found(ctx, call, failure))
	}
}

// copies keeps the catalogue's own from being shared by errors.
func copies(list []*toolgatev1.Alternative) []*toolgatev1.Alternative {
	copied := make([]*toolgatev1.Alternative, len(list))
	for i, alternative := range list {
		copied[i] = proto.CloneOf(alternative)
	}
	return copied
}

// wanted reports whether the tool's lookup is to be run now.
func (r *Room) wanted(ctx context.Context, call *interceptors.Call) bool {
	lookup := call.Tool.Lookup
	if lookup == nil || r.lookup == nil || ctx.Err() != nil {
		return false
	}
	switch lookup.When {
	case interceptors.LookupAlways:
	case interceptors.LookupOnRequest:
		if !call.WantAlternatives {
			return false
		}
	default:
		return false
	}
	timeout := call.Tool.Policy.AlternativesTimeout
	if by, ok := interceptors.AnswerBy(ctx, call); ok && time.Until(by) < timeout {
		return false
	}
	return timeout > 0 && r.ready(lookup.Tool)
}

// found runs the lookup; whatever goes wrong, there is no list.
func (r *Room) found(ctx context.Context, call *interceptors.Call, failure *toolgatev1.ToolError) []*toolgatev1.Alternative {
	lookup := call.Tool.Lookup
	arguments, err := lookup.Arguments(call.Arguments.JSON, failure)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, call.Tool.Policy.AlternativesTimeout)
	defer cancel()
	outcome, err := r.lookup(ctx, call, lookup.Tool, string(arguments))
	if err != nil || outcome == nil || outcome.Result == nil {
		return nil
	}
	items, err := lookup.Items(outcome.Result, call.Arguments.JSON, failure)
	if err != nil {
		return nil
	}
	return items
}

// offer puts the usable ones of a list on a failure.
func (r *Room) offer(ctx context.Context, call *interceptors.Call, failure *toolgatev1.ToolError, list []*toolgatev1.Alternative) {
	if len(list) > maxLooked {
		list = list[:maxLooked]
		failure.AlternativesTruncated = true
	}
	list = r.usable(ctx, call, sensible(call, list))
	if len(list) > maxAlternatives {
		list = list[:maxAlternatives:maxAlternatives]
		failure.AlternativesTruncated = true
	}
	failure.Alternatives = list
	if finder := r.finder(ctx, call); failure.GetAlternativesTruncated() && finder != "" {
		interceptors.AddNote(failure, finder+" has more")
	}
}

// finder names the tool that finds more, where the caller may use it.
func (r *Room) finder(ctx context.Context, call *interceptors.Call) string {
	if call.Tool.Lookup == nil {
		return ""
	}
	named := []*toolgatev1.Alternative{{Tool: call.Tool.Lookup.Tool}}
	if len(r.usable(ctx, call, named)) == 0 {
		return ""
	}
	return call.Tool.Lookup.Tool
}

// sensible names the tool of every alternative and drops the failed call and
// what is listed twice.
func sensible(call *interceptors.Call, list []*toolgatev1.Alternative) []*toolgatev1.Alternative {
	kept := make([]*toolgatev1.Alternative, 0, len(list))
	for _, alternative := range list {
		if alternative == nil {
			continue
		}
		if alternative.GetTool() == "" {
			alternative.Tool = call.Tool.Name
		}
		repeats := func(other *toolgatev1.Alternative) bool {
			return other.GetTool() == alternative.GetTool() && sameJSON(other.GetArgumentsJson(), alternative.GetArgumentsJson())
		}
		failed := alternative.GetTool() == call.Tool.Name && sameJSON(alternative.GetArgumentsJson(), string(call.Arguments.JSON))
		if !failed && !slices.ContainsFunc(kept, repeats) {
			kept = append(kept, alternative)
		}
	}
	return kept
}

// sameJSON compares two texts but for the space between their values; Usable
// knows which calls are identical in every way.
func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
