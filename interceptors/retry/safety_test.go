package retry_test

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func TestAWriteThatMayHaveTakenEffectIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(never)
		got := writes("pay", false).call(t.Context(), h)
		got.check(t, want{interceptors.Terminal, "outcome_unknown", 1, false, -1})
		if h.calls != 1 || !got.Error.GetMaybeExecuted() || !got.Exempt {
			t.Errorf("%d upstream calls, got %v", h.calls, got.Error)
		}
		// Even where somebody calls it transient.
		h = newHouse(bare500)
		got = writes("pay", false).call(t.Context(), h)
		got.check(t, want{interceptors.Transient, "internal", 1, false, 1})
		// A write that did not take effect is repeated like anything else.
		writes("book", false).call(t.Context(), newHouse(unavailable, ok)).checkResult(t, 2)
	})
}

func TestAnUnknownOutcomeAfterAnEarlierOneKeepsItsMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idempotent := reads("put")
		idempotent.tool.Effect = toolgatev1.Effect_EFFECT_IDEMPOTENT
		got := idempotent.call(t.Context(), newHouse(bare500, unavailable))
		got.check(t, want{interceptors.Transient, "unavailable", 5, true, 16})
		if !got.Error.GetMaybeExecuted() {
			t.Error("a later failure made the earlier attempt certain")
		}
		got = reads("get").call(t.Context(), newHouse(bare500, unavailable))
		if got.Error.GetMaybeExecuted() {
			t.Error("a read has no effect")
		}
	})
}

func TestOneKeyServesEveryAttemptAndTheNextIdenticalCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, pay := newHouse(never, never, unavailable, unavailable, unavailable, ok), writes("pay", true)
		pay.tool.Policy.BreakerFailures = 0
		got := pay.call(t.Context(), h)
		got.check(t, want{interceptors.Transient, "unavailable", 5, true, 16})
		if !got.Error.GetMaybeExecuted() {
			t.Error("two attempts may have taken effect")
		}
		pay.id = "another call id"
		pay.call(t.Context(), h).checkResult(t, 1)
		for _, key := range h.keysd {
			if key == "" || key != h.keysd[0] {
				t.Fatalf("keys %v", h.keysd)
			}
		}
		if len(h.keys.kept) != 0 {
			t.Error("the key was kept beyond the result")
		}
		pay.call(t.Context(), h).checkResult(t, 1)
		if h.keysd[6] == h.keysd[5] {
			t.Error("a new payment got the old key")
		}
	})
}

func TestTheKeyIsKeptHoweverTheCallEnds(t *testing.T) {
	panics := func(context.Context, *interceptors.Call) *interceptors.Outcome { panic("a bug") }
	for name, c := range map[string]struct {
		line attempt
		kept bool
	}{
		"result":         {ok, false},
		"not executed":   {unavailable, false},
		"refused":        {taken, false},
		"never answered": {never, true},
		"a panic":        {panics, true},
		"a terminal that may have taken effect": {func(ctx context.Context, call *interceptors.Call) *interceptors.Outcome {
			outcome := fails(interceptors.Terminal, "odd", 500, interceptors.Verdict{Executed: interceptors.ExecutedMaybe})(ctx, call)
			outcome.Error.MaybeExecuted = true
			return outcome
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(c.line)
				func() {
					defer func() { _ = recover() }()
					writes("pay", true).call(t.Context(), h)
				}()
				if kept := len(h.keys.kept) == 1; kept != c.kept {
					t.Errorf("kept %v, want %v", kept, c.kept)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // the caller goes away in an attempt
		h := newHouse(never)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		time.AfterFunc(100*time.Millisecond, cancel)
		if got := writes("pay", true).call(ctx, h); got.err == nil || len(h.keys.kept) != 1 {
			t.Errorf("got %v, kept %v", got.err, h.keys.kept)
		}
	})
}

func TestAKeptKeyIsNotLostWhereNoAttemptIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, pay := newHouse(never), writes("pay", true)
		pay.call(t.Context(), h) // and the circuit is open
		first := h.keysd[0]
		for range 3 {
			got := pay.call(t.Context(), h)
			got.check(t, want{interceptors.Transient, "circuit_open", 0, true, got.Error.GetRetryAfter()})
			if !got.Error.GetMaybeExecuted() {
				t.Error("what may have taken effect before may have still")
			}
		}
		time.Sleep(time.Minute)
		pay.call(t.Context(), h)
		if last := h.keysd[len(h.keysd)-1]; last != first {
			t.Errorf("sent under %s, want %s", last, first)
		}
	})
}

func TestAKeyComesFromTheCallIDAndNeverFromTheArguments(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	key := func(run, id string, arguments byte) string {
		h, pay := newHouse(ok), writes("pay", true)
		pay.run, pay.id = run, id
		call := &interceptors.Call{
			Run: interceptors.RunKey{Principal: "ann", ID: run}, ID: id, Tool: pay.tool,
			Arguments: interceptors.Checked{Key: interceptors.Key{arguments}}, Progress: func(*toolgatev1.CallProgress) {},
		}
		if _, err := h.chain(t.Context(), call); err != nil || !form.MatchString(h.keysd[0]) {
			t.Fatalf("got %v, key %q", err, h.keysd[0])
		}
		return h.keysd[0]
	}
	if key("r", "c", 1) != key("r", "c", 2) {
		t.Error("the key depends on the arguments")
	}
	seen := map[string]string{}
	for _, c := range [][2]string{{"r", "c"}, {"r", "d"}, {"s", "c"}, {"rc", ""}, {"r", "cc"}, {"rc", "c"}} {
		k := key(c[0], c[1], 1)
		if other, twice := seen[k]; twice {
			t.Errorf("%v and %s share a key", c, other)
		}
		seen[k] = c[0] + "/" + c[1]
	}
	if first, second := key("r", "", 1), key("r", "", 1); first == second {
		t.Error("two calls without an id share a key")
	}
}

func TestAKeeperThatIsGoneStopsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(never, ok)
		h.keys.gone = errors.New("gone")
		writes("pay", true).call(t.Context(), h).checkResult(t, 2)
		if h.keysd[0] != h.keysd[1] || h.keysd[0] == "" {
			t.Errorf("keys %v", h.keysd)
		}
	})
}

func TestAnEchoOfAnEarlierAttemptIsNobodysFault(t *testing.T) {
	for name, c := range map[string]struct {
		script        []attempt
		class         toolgatev1.ErrorClass
		maybe, exempt bool
	}{
		"404 after unknown": {[]attempt{bare500, fails(interceptors.InvalidRequest, "not_found", 404, interceptors.Verdict{})}, interceptors.Terminal, true, true},
		"409 after unknown": {[]attempt{never, taken}, interceptors.Terminal, true, true},
		"ALREADY_EXISTS":    {[]attempt{never, fails(interceptors.InvalidRequest, "already_exists", 6, interceptors.Verdict{})}, interceptors.Terminal, true, true},
		"409 after nothing": {[]attempt{unavailable, taken}, interceptors.Terminal, false, false},
		"409 at once":       {[]attempt{taken}, interceptors.Terminal, false, false},
		"400 after unknown": {[]attempt{bare500, invalid}, interceptors.InvalidRequest, false, false},
		"403 after unknown": {[]attempt{bare500, fails(interceptors.Terminal, "forbidden", 403, interceptors.Verdict{})}, interceptors.Terminal, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				remove := reads("delete")
				remove.tool.Effect = toolgatev1.Effect_EFFECT_IDEMPOTENT
				got := remove.call(t.Context(), newHouse(c.script...))
				e := got.Error
				if e.GetErrorClass() != c.class || e.GetMaybeExecuted() != c.maybe || got.Exempt != c.exempt || (e.GetNote() != "") != c.exempt {
					t.Errorf("exempt %v, got %v", got.Exempt, e)
				}
			})
		})
	}
}

func TestAReadThatTimedOutBeforeIsAskedForLess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, search := newHouse(never), reads("search")
		search.tool.Narrow, search.tool.Policy.BreakerFailures = "limit", 0
		search.call(t.Context(), h).check(t, want{interceptors.Transient, "timeout", 5, true, 16})
		for range 3 {
			got := search.call(t.Context(), h)
			got.check(t, want{interceptors.InvalidRequest, "timeout", 1, false, -1})
			e := got.Error
			if len(e.GetViolations()) != 1 || e.GetViolations()[0].GetField() != "limit" || !got.Exempt ||
				e.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY {
				t.Errorf("exempt %v, got %v", got.Exempt, e)
			}
		}
		if h.calls != 8 {
			t.Errorf("%d upstream calls, want 5 + 3", h.calls)
		}
		other := reads("search")
		other.tool, other.run = search.tool, "another run"
		other.call(t.Context(), h).check(t, want{interceptors.Transient, "timeout", 5, true, 16})
		h.retry.Forget(interceptors.RunKey{Principal: "ann", ID: "r"})
		search.call(t.Context(), h).check(t, want{interceptors.Transient, "timeout", 5, true, 16})
	})
}

func TestWhatElseFailsIsStillRepeatedAndASuccessForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		search := reads("search")
		search.tool.Narrow, search.tool.Policy.BreakerFailures, search.tool.Policy.MaxAttempts = "limit", 0, 2
		h := newHouse(never, never, unavailable, ok, never, never)
		search.call(t.Context(), h).check(t, want{interceptors.Transient, "timeout", 2, true, 2})
		search.call(t.Context(), h).checkResult(t, 2)
		search.call(t.Context(), h).check(t, want{interceptors.Transient, "timeout", 2, true, 2})
	})
}
