package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/arguments"
)

// This file holds the functions that one room needs of another's knowledge.

const nearestNames = 4 // one more than the room lists, so that it can tell that there are more

// find finds a tool that the caller may use.
func (w *wiring) find(principal, name string) (*interceptors.Tool, bool) {
	if !w.permitted(principal, name) {
		return nil, false
	}
	return w.current().Lookup(name)
}

// knows is the tracer's: whether a name may stand in a span.
func (w *wiring) knows(principal, name string) bool {
	_, known := w.find(principal, name)
	return known
}

// keyOf is rejectioncap's: the identity of a call, if its arguments are good.
func (w *wiring) keyOf(call *interceptors.Call, name, text string) (interceptors.Key, bool) {
	tool := call.Tool
	if name != tool.Name {
		var ok bool
		if tool, ok = w.find(call.Run.Principal, name); !ok {
			return interceptors.Key{}, false
		}
	}
	if tool.Schema == nil {
		return interceptors.Key{}, false
	}
	checked := tool.Schema.Check(text)
	return checked.Identity(), checked.Fault == nil
}

// usable keeps the alternatives that this caller may use and that repeat's
// memory does not hold.
func (w *wiring) usable(ctx context.Context, call *interceptors.Call, offered []*toolgatev1.Alternative) []*toolgatev1.Alternative {
	var open []*toolgatev1.Alternative
	var keyed []int // positions in open of those that have a key
	var keys []interceptors.Key
	for _, alternative := range offered {
		if _, ok := w.find(call.Run.Principal, alternative.GetTool()); !ok {
			continue
		}
		if alternative.GetArgumentsJson() != "" {
			key, good := w.keyOf(call, alternative.GetTool(), alternative.GetArgumentsJson())
			if !good {
				continue
			}
			keyed, keys = append(keyed, len(open)), append(keys, key)
		}
		open = append(open, alternative)
	}
	return without(open, keyed, w.held(ctx, call.Run, keys))
}

func (w *wiring) held(ctx context.Context, run interceptors.RunKey, keys []interceptors.Key) []bool {
	if len(keys) == 0 {
		return nil
	}
	held, err := w.ledger.Held(ctx, run, keys)
	if err != nil || len(held) != len(keys) {
		return make([]bool, len(keys)) // a keeper that is gone holds nothing
	}
	return held
}

func without(open []*toolgatev1.Alternative, keyed []int, held []bool) []*toolgatev1.Alternative {
	for i, at := range slices.Backward(keyed) {
		if held[i] {
			open = append(open[:at], open[at+1:]...)
		}
	}
	return open
}

// verifiesFor is repeat's.
func (w *wiring) verifiesFor(tool *interceptors.Tool) []*interceptors.Tool {
	return w.current().VerifiesFor(tool)
}

// nearest is arguments': permitted names near the one that nobody knows.
func (w *wiring) nearest(call *interceptors.Call) []string {
	return arguments.Nearest(call.Name, w.names(call.Run.Principal), nearestNames)
}

func (w *wiring) names(principal string) []string {
	var names []string
	for _, tool := range w.current().Tools() {
		if w.permitted(principal, tool.Name) {
			names = append(names, tool.Name)
		}
	}
	return names
}

// ready is alternatives': whether a lookup has a chance now.
func (w *wiring) ready(name string) bool {
	tool, ok := w.current().Lookup(name)
	return ok && w.rooms.breaker.Ready(tool.Upstream, tool.Name)
}

// lookUp is alternatives': one attempt of another tool on behalf of a call.
func (w *wiring) lookUp(ctx context.Context, call *interceptors.Call, name, text string) (*interceptors.Outcome, error) {
	tool, ok := w.find(call.Run.Principal, name)
	if !ok {
		return interceptors.RefuseTerminal(interceptors.CodeUnknownTool, "no such tool"), nil
	}
	lookup := &interceptors.Call{
		Run: call.Run, Name: name, Text: text, Tool: tool, Arrived: call.Arrived, Snapshot: call.Snapshot,
		CorrelationID: call.CorrelationID, Progress: func(*toolgatev1.CallProgress) {},
	}
	ctx, span := w.tracer.Call(ctx, lookup)
	outcome, err := w.lookups(ctx, lookup)
	span.End(lookup, outcome, err)
	call.Trace.Upstream += lookup.Trace.Upstream
	return outcome, err
}

// capOf tells a run's summary where a tool stops.
func (w *wiring) capOf(name string) uint32 {
	tool, ok := w.current().Lookup(name)
	if !ok {
		tool = w.current().Unknown()
	}
	return tool.Policy.RejectionCap
}

// listing answers ListTools.
func (w *wiring) listing(principal string) *toolgatev1.ListToolsResponse {
	catalogue := w.current()
	var seen []*interceptors.Tool
	resp := &toolgatev1.ListToolsResponse{Contract: contractSentence, CatalogVersion: catalogue.Version()}
	for _, tool := range catalogue.Tools() {
		if !w.permitted(principal, tool.Name) {
			continue
		}
		seen = append(seen, tool)
		description := tool.Description
		if catalogue.ContractInDescriptions() {
			description = withContract(description)
		}
		resp.Tools = append(resp.Tools, &toolgatev1.Tool{
			Name: tool.Name, Description: description, InputSchemaJson: tool.SchemaJSON, Effect: tool.Effect,
		})
	}
	if len(seen) < len(catalogue.Tools()) {
		resp.CatalogVersion = versionOf(seen)
	}
	return resp
}

// versionOf is the catalogue's to a caller that does not see all of it: what it can't
// see may change unnoticed.
func versionOf(seen []*interceptors.Tool) string {
	sum := sha256.New()
	for _, tool := range seen {
		_, _ = io.WriteString(sum, tool.Name+"="+tool.Version+"\n") // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

func withContract(description string) string {
	switch {
	case description == "":
		return contractShort
	case strings.HasSuffix(description, contractShort): // by a gateway behind this one
		return description
	}
	if last, _ := utf8.DecodeLastRuneInString(description); unicode.IsLetter(last) || unicode.IsDigit(last) {
		description += "." // else both are read as one sentence
	}
	return description + " " + contractShort
}
