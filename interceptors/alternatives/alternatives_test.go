package alternatives

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func slot(time string) *toolgatev1.Alternative {
	return &toolgatev1.Alternative{Tool: "book_slot", ArgumentsJson: `{"start":"` + time + `"}`}
}

func slots(n int) (list []*toolgatev1.Alternative) {
	for i := range n {
		list = append(list, slot(fmt.Sprint("15:", 10+i)))
	}
	return list
}

func starts(list []*toolgatev1.Alternative) string {
	var all []string
	for _, alternative := range list {
		all = append(all, alternative.GetTool()+alternative.GetArgumentsJson())
	}
	return strings.Join(all, " ")
}

// clinic is a tool with a lookup, and what the lookup saw.
type clinic struct {
	call    *interceptors.Call
	room    *Room
	found   []*toolgatev1.Alternative
	lookups int
	hidden  []string // tools that this caller may not use
	held    []string // arguments that repeat holds
	err     error
	ready   bool
	takes   time.Duration
}

func newClinic(when interceptors.LookupWhen) *clinic {
	c := &clinic{ready: true}
	c.call = &interceptors.Call{
		Arrived: time.Now(), Arguments: interceptors.Checked{JSON: []byte(`{"start": "14:30"}`)},
		Tool: &interceptors.Tool{Name: "book_slot", Policy: interceptors.DefaultPolicy(), Lookup: &interceptors.Lookup{
			Tool: "find_slots", When: when,
			Arguments: func(arguments []byte, _ *toolgatev1.ToolError) (json.RawMessage, error) { return arguments, c.err },
			Items: func(result *toolgatev1.ToolResult, _ []byte, _ *toolgatev1.ToolError) ([]*toolgatev1.Alternative, error) {
				if result.GetStructuredJson() != "slots" {
					return nil, errors.New("another answer")
				}
				return c.found, nil
			},
		}},
	}
	c.room = New(func(ctx context.Context, _ *interceptors.Call, tool, arguments string) (*interceptors.Outcome, error) {
		c.lookups++
		if tool != "find_slots" || arguments != `{"start": "14:30"}` {
			return nil, fmt.Errorf("looked up %s with %s", tool, arguments)
		}
		select {
		case <-time.After(c.takes):
			return &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: "slots"}}, nil
		case <-ctx.Done():
			return interceptors.RefuseTransient(interceptors.CodeTimeout, "late", 1), nil
		}
	}, func(_ context.Context, _ *interceptors.Call, list []*toolgatev1.Alternative) []*toolgatev1.Alternative {
		return slices.DeleteFunc(list, func(a *toolgatev1.Alternative) bool {
			return slices.Contains(c.hidden, a.GetTool()) || slices.Contains(c.held, a.GetArgumentsJson())
		})
	}, func(tool string) bool { return tool == "find_slots" && c.ready })
	return c
}

func (c *clinic) fail(ctx context.Context, t *testing.T, failure *toolgatev1.ToolError) *toolgatev1.ToolError {
	t.Helper()
	outcome, err := c.room.handle(ctx, c.call, func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		return &interceptors.Outcome{Error: failure}, nil
	})
	if err != nil || outcome.Error != failure {
		t.Fatalf("got %v, %v", outcome, err)
	}
	return failure
}

func taken() *toolgatev1.ToolError {
	return &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "slot_unavailable"}
}

func TestATakenSlotComesWithItsNearestThree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClinic(interceptors.LookupAlways)
		c.found = append([]*toolgatev1.Alternative{{ArgumentsJson: `{"start":"14:30"}`}}, slots(5)...) // the failed call itself is none
		e := c.fail(t.Context(), t, taken())
		if starts(e.GetAlternatives()) != starts(slots(3)) || !e.GetAlternativesTruncated() || e.GetNote() != "find_slots has more" || c.lookups != 1 {
			t.Errorf("got %v after %d lookups", e, c.lookups)
		}
	})
}

func TestAListThatFitsIsNotCalledTruncated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClinic(interceptors.LookupAlways)
		c.found = append(slots(3), slots(2)...) // twice the same
		e := c.fail(t.Context(), t, taken())
		if len(e.GetAlternatives()) != 3 || e.GetAlternativesTruncated() || e.GetNote() != "" {
			t.Errorf("got %v", e)
		}
	})
}

func TestOnlyWhatTheCallerMayUseAndWouldWorkIsOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClinic(interceptors.LookupAlways)
		c.found = append(slots(5), &toolgatev1.Alternative{Tool: "admin", ArgumentsJson: "{}"})
		c.hidden, c.held = []string{"admin", "find_slots"}, []string{slots(1)[0].GetArgumentsJson()}
		e := c.fail(t.Context(), t, taken())
		if starts(e.GetAlternatives()) != starts(slots(4)[1:]) || !e.GetAlternativesTruncated() || e.GetNote() != "" {
			t.Errorf("a tool that the caller may not use is named, or a held call offered: %v", e)
		}
	})
}

func TestTheProvidersOwnListComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for class, truncated := range map[toolgatev1.ErrorClass]bool{interceptors.Terminal: true, interceptors.InvalidRequest: false} {
			c := newClinic(interceptors.LookupAlways)
			failure := taken()
			failure.ErrorClass, failure.AlternativesTruncated = class, truncated
			failure.Alternatives = []*toolgatev1.Alternative{slot("16:00"), slot("17:00")}
			e := c.fail(t.Context(), t, failure)
			if len(e.GetAlternatives()) != 2 || c.lookups != 0 || e.GetAlternativesTruncated() != truncated || (e.GetNote() != "") != truncated {
				t.Errorf("%v after %d lookups", e, c.lookups)
			}
		}
	})
}

func TestWhenALookupIsRun(t *testing.T) {
	for name, c := range map[string]struct {
		when   interceptors.LookupWhen
		change func(*clinic, *toolgatev1.ToolError)
		left   time.Duration // of the caller's time; 0: no deadline
		runs   int
	}{
		"always":                      {interceptors.LookupAlways, nil, 0, 1},
		"never":                       {interceptors.LookupNever, func(c *clinic, _ *toolgatev1.ToolError) { c.call.WantAlternatives = true }, 0, 0},
		"not requested":               {interceptors.LookupOnRequest, nil, 0, 0},
		"requested":                   {interceptors.LookupOnRequest, func(c *clinic, _ *toolgatev1.ToolError) { c.call.WantAlternatives = true }, 0, 1},
		"time enough":                 {interceptors.LookupAlways, nil, 270 * time.Millisecond, 1},
		"too little time":             {interceptors.LookupAlways, nil, 269 * time.Millisecond, 0},
		"its upstream is down":        {interceptors.LookupAlways, func(c *clinic, _ *toolgatev1.ToolError) { c.ready = false }, 0, 0},
		"switched off":                {interceptors.LookupAlways, func(c *clinic, _ *toolgatev1.ToolError) { c.call.Tool.Policy.AlternativesTimeout = 0 }, 0, 0},
		"no arguments can be made":    {interceptors.LookupAlways, func(c *clinic, _ *toolgatev1.ToolError) { c.err = errors.New("no") }, 0, 0},
		"transient":                   {interceptors.LookupAlways, func(_ *clinic, e *toolgatev1.ToolError) { e.ErrorClass = interceptors.Transient }, 0, 0},
		"invalid":                     {interceptors.LookupAlways, func(_ *clinic, e *toolgatev1.ToolError) { e.ErrorClass = interceptors.InvalidRequest }, 0, 0},
		"the outcome is unknown":      {interceptors.LookupAlways, func(_ *clinic, e *toolgatev1.ToolError) { e.Code, e.MaybeExecuted = "outcome_unknown", true }, 0, 0},
		"it may have taken effect":    {interceptors.LookupAlways, func(_ *clinic, e *toolgatev1.ToolError) { e.MaybeExecuted = true }, 0, 0},
		"the tool has no lookup":      {interceptors.LookupAlways, func(c *clinic, _ *toolgatev1.ToolError) { c.call.Tool.Lookup = nil }, 0, 0},
		"nobody can make the attempt": {interceptors.LookupAlways, func(c *clinic, _ *toolgatev1.ToolError) { c.room.lookup = nil }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shop, failure := newClinic(c.when), taken()
				shop.found = slots(1)
				if c.change != nil {
					c.change(shop, failure)
				}
				ctx := t.Context()
				if c.left > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.left)
					defer cancel()
				}
				e := shop.fail(ctx, t, failure)
				if shop.lookups != c.runs || len(e.GetAlternatives()) != c.runs {
					t.Errorf("%d lookups, got %v", shop.lookups, e)
				}
			})
		})
	}
}

func TestALookupThatFailsOrHangsIsAMissingList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClinic(interceptors.LookupAlways)
		c.takes, c.found = time.Hour, slots(1)
		start := time.Now()
		if e := c.fail(t.Context(), t, taken()); len(e.GetAlternatives()) != 0 || time.Since(start) != 250*time.Millisecond {
			t.Errorf("got %v after %v", e, time.Since(start))
		}
		c.takes = 0
		for _, lookup := range []Lookup{
			func(context.Context, *interceptors.Call, string, string) (*interceptors.Outcome, error) {
				return nil, errors.New("gone")
			},
			func(context.Context, *interceptors.Call, string, string) (*interceptors.Outcome, error) {
				return &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}, nil
			},
		} {
			c.room.lookup = lookup
			if e := c.fail(t.Context(), t, taken()); len(e.GetAlternatives()) != 0 || e.GetCode() != "slot_unavailable" {
				t.Errorf("got %v", e)
			}
		}
	})
}

func TestAnOutageOffersTheFallbacksAndNothingElse(t *testing.T) {
	c := newClinic(interceptors.LookupAlways)
	c.call.Tool.Fallbacks = []*toolgatev1.Alternative{{Tool: "cached_slots", Label: "yesterday's list"}, {Tool: "front_desk", Label: "a person"}}
	before := proto.CloneOf(c.call.Tool.Fallbacks[0])
	c.hidden = []string{"front_desk"}
	failure := &toolgatev1.ToolError{
		ErrorClass: interceptors.Transient, Exhausted: true, Alternatives: slots(5), AlternativesTruncated: true,
	}
	e := c.fail(context.Background(), t, failure)
	if len(e.GetAlternatives()) != 1 || e.GetAlternatives()[0].GetTool() != "cached_slots" || e.GetAlternativesTruncated() || c.lookups != 0 {
		t.Errorf("got %v after %d lookups", e, c.lookups)
	}
	e.Alternatives[0].Label = "changed"
	if !proto.Equal(before, c.call.Tool.Fallbacks[0]) {
		t.Error("an error shares its alternatives with the catalogue")
	}
}

func TestResultsStatusesAndAnswersFromMemoryPassUntouched(t *testing.T) {
	c := newClinic(interceptors.LookupAlways)
	for _, outcome := range []*interceptors.Outcome{
		{Result: &toolgatev1.ToolResult{}},
		{Error: &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Alternatives: slots(5)}, FromMemory: true},
	} {
		before := proto.CloneOf(outcome.Error)
		got, err := c.room.handle(context.Background(), c.call, func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
			return outcome, nil
		})
		if err != nil || got != outcome || !proto.Equal(before, got.Error) {
			t.Errorf("got %v, %v", got, err)
		}
	}
	gone := interceptors.StatusInternal(nil)
	if _, err := c.room.handle(context.Background(), c.call, func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		return nil, gone
	}); !errors.Is(err, gone) || c.lookups != 0 {
		t.Errorf("got %v after %d lookups", err, c.lookups)
	}
}

func BenchmarkAResultPasses(b *testing.B) {
	room, call := New(nil, nil, nil), newClinic(interceptors.LookupAlways).call
	outcome := &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}
	next := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) { return outcome, nil }
	b.ReportAllocs()
	for b.Loop() {
		_, _ = room.handle(context.Background(), call, next)
	}
}

func TestAnEndlessListIsLookedAtInPartOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClinic(interceptors.LookupAlways)
		c.found = slots(1000)
		looked := 0
		c.room.usable = func(_ context.Context, _ *interceptors.Call, list []*toolgatev1.Alternative) []*toolgatev1.Alternative {
			looked = max(looked, len(list))
			return list[:1]
		}
		e := c.fail(t.Context(), t, taken())
		if looked != maxLooked || !e.GetAlternativesTruncated() || len(e.GetAlternatives()) != 1 {
			t.Errorf("looked at %d, got %v", looked, e)
		}
	})
}
