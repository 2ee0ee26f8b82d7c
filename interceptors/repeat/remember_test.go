package repeat_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

func TestWhatIsRemembered(t *testing.T) {
	gateway := func(e *toolgatev1.ToolError) { e.ClassifiedBy = toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY }
	for name, c := range map[string]struct {
		script func(*house)
		tool   *interceptors.Tool
		reach  int // of three calls
	}{
		"terminal":                   {func(h *house) { h.fails(interceptors.Terminal, "x") }, read(), 1},
		"unclassified":               {func(h *house) { h.fails(0, "x") }, read(), 1},
		"invalid_request":            {func(h *house) { h.fails(interceptors.InvalidRequest, "x") }, read(), 1},
		"transient":                  {func(h *house) { h.fails(interceptors.Transient, "x", in(1)) }, read(), 1},
		"transient, at once":         {func(h *house) { h.fails(interceptors.Transient, "x", in(0)) }, read(), 3},
		"transient, no number":       {func(h *house) { h.fails(interceptors.Transient, "x", in(math.NaN())) }, read(), 3},
		"transient, for ever":        {func(h *house) { h.fails(interceptors.Transient, "x", in(math.Inf(1))) }, read(), 1},
		"a refusal of ours":          {func(h *house) { h.fails(interceptors.Terminal, "x", gateway) }, read(), 3},
		"what the breaker refused":   {(*house).isRefused, read(), 3},
		"narrow":                     {func(h *house) { h.fails(interceptors.InvalidRequest, "timeout", gateway) }, read(), 3},
		"an unknown outcome":         {func(h *house) { h.fails(interceptors.Terminal, interceptors.CodeOutcomeUnknown, gateway, maybe) }, write(), 1},
		"an unknown one of a poll":   {func(h *house) { h.fails(interceptors.Terminal, interceptors.CodeOutcomeUnknown, gateway, maybe) }, polled(write()), 1},
		"a word of the provider's":   {func(h *house) { h.fails(interceptors.Terminal, interceptors.CodeOutcomeUnknown) }, forgetful(write()), 3},
		"a poll":                     {func(h *house) { h.fails(interceptors.Terminal, "x") }, polled(read()), 3},
		"a result":                   {(*house).succeeds, write(), 3},
		"terminal, memory off":       {func(h *house) { h.fails(interceptors.Terminal, "x") }, forgetful(read()), 3},
		"unknown outcome, not kept?": {func(h *house) { h.fails(interceptors.Terminal, interceptors.CodeOutcomeUnknown, maybe) }, forgetful(write()), 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, memory.New())
				c.script(h)
				for range 3 {
					h.call(c.tool, `{}`)
				}
				h.wantRuns(c.reach)
			})
		})
	}
}

func maybe(e *toolgatev1.ToolError) { e.MaybeExecuted = true }

func polled(tool *interceptors.Tool) *interceptors.Tool {
	tool.Poll = true
	return tool
}

func forgetful(tool *interceptors.Tool) *interceptors.Tool {
	tool.Policy.RepeatMemory, tool.Policy.RepeatMemoryMax = 0, 0
	return tool
}

func TestAMemoryDoublesEachTimeTheRealCallSaysTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		h.fails(interceptors.Terminal, "gone")
		h.call(read(), `{}`)
		for reached, minutes := range []int{2, 4, 8, 16, 16} {
			h.wantRuns(reached + 1)
			time.Sleep(time.Duration(minutes)*time.Minute - time.Second)
			h.call(read(), `{}`)
			h.wantRuns(reached + 1)
			time.Sleep(time.Second)
			h.call(read(), `{}`)
		}
		h.fails(interceptors.Terminal, "other")
		time.Sleep(16 * time.Minute)
		h.call(read(), `{}`)
		reached := h.runs
		time.Sleep(2 * time.Minute)
		h.call(read(), `{}`)
		h.wantRuns(reached + 1) // another code began anew
	})
}

func TestASuccessBreaksTheDoubling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, memory.New())
		for range 3 {
			h.fails(interceptors.Terminal, "gone")
			h.call(read(), `{}`)
			time.Sleep(2 * time.Minute)
			h.succeeds()
			h.call(read(), `{}`)
		}
		h.wantRuns(6)
	})
}

func TestWhatForgets(t *testing.T) {
	unblocked := func(e *toolgatev1.ToolError) { e.BlockedBy, e.UnblockWith = "access", "request_access" }
	for name, c := range map[string]struct {
		act   func(*house)
		reach bool
	}{
		"a success of a write":           {func(h *house) { h.call(write(), `{}`) }, true},
		"a success of an idempotent one": {func(h *house) { h.call(tool("put", toolgatev1.Effect_EFFECT_IDEMPOTENT), `{}`) }, true},
		"a success of any read":          {func(h *house) { h.call(tool("list", toolgatev1.Effect_EFFECT_READ), `{}`) }, false},
		"a success of the read it named": {func(h *house) { h.call(tool("request_access", toolgatev1.Effect_EFFECT_READ), `{}`) }, true},
		"the end of the run":             {func(h *house) { _, _, _ = h.ledger.EndRun(h.Context(), run) }, true},
		"nothing":                        {func(*house) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, memory.New())
			h.fails(interceptors.Terminal, "no_access", unblocked)
			h.call(read(), `{}`)
			h.succeeds()
			c.act(h)
			before := h.runs
			h.call(read(), `{}`)
			if reached := h.runs > before; reached != c.reach {
				t.Errorf("reached %v, want %v", reached, c.reach)
			}
		})
	}
}

func TestAnotherVersionOfTheToolIsAsked(t *testing.T) {
	h := newHouse(t, memory.New())
	h.fails(interceptors.Terminal, "gone")
	h.call(read(), `{}`)
	changed := read()
	changed.Version = "2"
	h.call(changed, `{}`)
	h.call(changed, `{}`)
	h.wantRuns(2)
}
