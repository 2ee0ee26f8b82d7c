package ledgertest

import (
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func repeatTrials() []trial {
	return []trial{
		{"what is remembered comes back as it was", func(t *book) {
			m := unlockedBy("deposit", failure("pay", interceptors.Terminal))
			m.Error.Violations = []*toolgatev1.Violation{{Field: "amount", ValueJson: "150.00"}}
			t.remember(1, m, t.snapshot())
			got := t.recall(1)
			switch {
			case got == nil:
				t.Fatal("it is forgotten")
			case !proto.Equal(got.Error, m.Error):
				t.Errorf("got %v, want %v", got.Error, m.Error)
			case got.Tool != m.Tool, got.Version != m.Version, got.TTL != m.TTL, got.Unknown:
				t.Errorf("got %+v, want %+v", got, m)
			case got.Until.Sub(m.Until).Abs() > time.Second: // a keeper elsewhere has a clock of its own
				t.Errorf("until %s, want %s", got.Until, m.Until)
			}
			t.wantNothing(2)
		}},
		{"what is kept can't be changed from outside", func(t *book) {
			m := failure("pay", interceptors.Terminal)
			t.remember(1, m, t.snapshot())
			m.Error.Code = "changed"
			t.recall(1).Error.Code = "changed"
			t.wantRemembered(1, "taken")
		}},
		{"an expired memory is still told, with its end in the past", func(t *book) {
			t.remember(1, failure("pay", interceptors.Terminal), t.snapshot())
			t.wantHeld(1, true)
			t.wait(2 * time.Minute)
			t.wantHeld(1, false)
			if m := t.recall(1); m == nil || m.Until.After(time.Now()) || m.TTL != 2*time.Minute {
				t.Errorf("got %+v", m)
			}
		}},
		{"a transient memory holds its call as well", func(t *book) {
			t.remember(2, failure("pay", interceptors.Transient), t.snapshot())
			t.wantHeld(2, true)
		}},
		{"erasing forgets this call alone, and what was in flight beside it", func(t *book) {
			beside := t.snapshot()
			t.remember(1, failure("pay", interceptors.Terminal), beside)
			t.remember(2, failure("pay", interceptors.Terminal), beside)
			t.remember(3, doubt("pay", `{}`), beside)
			t.must(t.ledger.Erase(t.Context(), run, key(1)))
			t.must(t.ledger.Erase(t.Context(), run, key(3)))
			t.wantNothing(1)
			t.wantRemembered(2, "taken")
			t.wantNothing(3)
			t.wantHeld(1, false)
			t.remember(1, failure("pay", interceptors.Terminal), beside)
			t.wantNothing(1)
			t.remember(1, failure("pay", interceptors.Terminal), t.snapshot())
			t.wantRemembered(1, "taken")
		}},
		{"a success that changes the world forgets what it may have cured", func(t *book) {
			t.remember(1, failure("create", interceptors.Terminal), t.snapshot())
			t.remember(2, failure("create", interceptors.InvalidRequest), t.snapshot())
			t.remember(3, failure("create", interceptors.Transient), t.snapshot())
			t.remember(4, doubt("create", `{}`), t.snapshot())
			t.unblock("delete", "changes")
			t.wantNothing(1)
			t.wantNothing(2)
			t.wantRemembered(3, "taken")
			t.wantRemembered(4, interceptors.CodeOutcomeUnknown)
		}},
		{"a success of a read forgets what it was named to unblock", func(t *book) {
			t.remember(1, unlockedBy("find", failure("book", interceptors.Terminal)), t.snapshot())
			t.remember(2, unlockedBy("other", failure("book", interceptors.Terminal)), t.snapshot())
			t.remember(3, failure("book", interceptors.InvalidRequest), t.snapshot())
			t.unblock("find", "reads")
			t.wantNothing(1)
			t.wantRemembered(2, "taken")
			t.wantRemembered(3, "taken")
		}},
		{"a failure whose cure came while it was in flight is not remembered", func(t *book) {
			beside := t.snapshot()
			t.unblock("deposit", "changes")
			t.remember(1, failure("pay", interceptors.Terminal), beside)
			t.remember(2, failure("pay", interceptors.InvalidRequest), beside)
			t.remember(3, failure("pay", interceptors.Transient), beside)
			t.remember(4, doubt("pay", `{}`), beside)
			t.wantNothing(1)
			t.wantNothing(2)
			t.wantRemembered(3, "taken")
			t.wantRemembered(4, interceptors.CodeOutcomeUnknown)
		}},
		{"a read that succeeded meanwhile stands against the errors that named it alone", func(t *book) {
			beside := t.snapshot()
			t.unblock("find", "reads")
			t.remember(1, unlockedBy("find", failure("book", interceptors.Terminal)), beside)
			t.remember(2, failure("book", interceptors.Terminal), beside)
			t.wantNothing(1)
			t.wantRemembered(2, "taken")
		}},
		{"a run holds a few hundred memories and keeps the latest", func(t *book) {
			for n := range 2000 {
				k := interceptors.Key{byte(n), byte(n >> 8)}
				t.must(t.ledger.Remember(t.Context(), run, k, failure("pay", interceptors.Terminal), t.snapshot()))
			}
			last := 1999
			m, err := t.ledger.Recall(t.Context(), run, interceptors.Key{byte(last), byte(last >> 8)})
			t.must(err)
			if m == nil {
				t.Error("the latest is forgotten")
			}
			if first, _ := t.ledger.Recall(t.Context(), run, interceptors.Key{}); first != nil {
				t.Error("2,000 memories of one run are held")
			}
		}},
		{"an idempotency key is kept for the call and taken by one", func(t *book) {
			t.snapshot()
			t.must(t.ledger.KeepKey(t.Context(), run, key(1), "first"))
			t.must(t.ledger.KeepKey(t.Context(), run, key(1), "second"))
			t.wantKept(2, "")
			var taken atomic.Int32
			t.together(10, func(int) {
				if got, err := t.ledger.TakeKey(t.Context(), run, key(1)); err == nil && got == "second" {
					taken.Add(1)
				}
			})
			if taken.Load() != 1 {
				t.Errorf("%d calls took one key", taken.Load())
			}
			t.wantKept(1, "")
		}},
	}
}

func unknownTrials() []trial {
	return []trial{
		{"unknown outcomes are listed by tool, the oldest first", func(t *book) {
			t.wantUnknown([]string{"pay"})
			t.remember(3, doubt("pay", `{"n":1}`), t.snapshot())
			t.remember(1, doubt("pay", `{"n":2}`), t.snapshot())
			t.remember(2, doubt("book", `{"n":3}`), t.snapshot())
			t.remember(4, failure("pay", interceptors.Terminal), t.snapshot())
			t.wantUnknown([]string{"list"})
			t.wantUnknown([]string{"pay"}, `{"n":1}`, `{"n":2}`)
			t.wantUnknown([]string{"book", "pay"}, `{"n":1}`, `{"n":2}`, `{"n":3}`)
		}},
		{"an unknown outcome is not overwritten by a failure of its twin", func(t *book) {
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			t.remember(1, failure("pay", interceptors.InvalidRequest), t.snapshot())
			t.wantRemembered(1, interceptors.CodeOutcomeUnknown)
		}},
		{"an unknown outcome takes the place of a failure", func(t *book) {
			t.remember(1, failure("pay", interceptors.InvalidRequest), t.snapshot())
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			t.wantRemembered(1, interceptors.CodeOutcomeUnknown)
		}},
		{"an unknown outcome is stored even where its run has ended", func(t *book) {
			at := t.snapshot()
			_, _, err := t.ledger.EndRun(t.Context(), run)
			t.must(err)
			t.remember(1, doubt("pay", `{}`), at)
			t.wantRemembered(1, interceptors.CodeOutcomeUnknown)
			t.wantHeld(1, true)
		}},
		{"one that did not execute is lifted", func(t *book) {
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			t.remember(2, doubt("pay", `{}`), t.snapshot())
			t.judge(t.unknowns("pay")[0], interceptors.DidNotExecute, nil)
			t.wantNothing(1)
			t.wantRemembered(2, interceptors.CodeOutcomeUnknown)
		}},
		{"one that did execute is replaced", func(t *book) {
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			executed := failure("pay", interceptors.Terminal)
			executed.Error.Code = interceptors.CodeAlreadyExecuted
			t.judge(t.unknowns("pay")[0], interceptors.DidExecute, executed)
			t.wantRemembered(1, interceptors.CodeAlreadyExecuted)
			t.wantUnknown([]string{"pay"})
		}},
		{"one that is still unknown stays", func(t *book) {
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			t.judge(t.unknowns("pay")[0], interceptors.StillUnknown, nil)
			t.wantRemembered(1, interceptors.CodeOutcomeUnknown)
		}},
		{"a verdict on an outcome that was settled and is unknown again settles nothing", func(t *book) {
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			old := t.unknowns("pay")[0]
			t.judge(old, interceptors.DidNotExecute, nil)
			t.judge(old, interceptors.DidExecute, failure("pay", interceptors.Terminal))
			t.wantNothing(1)
			t.remember(1, doubt("pay", `{}`), t.snapshot())
			t.judge(old, interceptors.DidNotExecute, nil)
			t.wantRemembered(1, interceptors.CodeOutcomeUnknown)
		}},
		{"many unknown outcomes are all kept", func(t *book) {
			for n := range 500 {
				k := interceptors.Key{byte(n), byte(n >> 8)}
				t.must(t.ledger.Remember(t.Context(), run, k, doubt("pay", `{}`), t.snapshot()))
			}
			if n := len(t.unknowns("pay")); n != 500 {
				t.Errorf("%d of 500 are kept", n)
			}
		}},
	}
}

func (b *book) remember(n byte, m *interceptors.Memory, at interceptors.Snapshot) {
	b.Helper()
	b.must(b.ledger.Remember(b.Context(), run, key(n), m, at))
}

func (b *book) recall(n byte) *interceptors.Memory {
	b.Helper()
	m, err := b.ledger.Recall(b.Context(), run, key(n))
	b.must(err)
	return m
}

func (b *book) wantRemembered(n byte, code string) {
	b.Helper()
	if m := b.recall(n); m == nil || m.Error.GetCode() != code {
		b.Errorf("call %d: got %+v, want %s", n, m, code)
	}
}

func (b *book) wantNothing(n byte) {
	b.Helper()
	if m := b.recall(n); m != nil {
		b.Errorf("call %d: %s is remembered", n, m.Error.GetCode())
	}
}

func (b *book) wantHeld(n byte, want bool) {
	b.Helper()
	held, err := b.ledger.Held(b.Context(), run, []interceptors.Key{key(250), key(n)})
	b.must(err)
	if len(held) != 2 || held[0] || held[1] != want {
		b.Errorf("call %d: held %v, want false and %v", n, held, want)
	}
}

func (b *book) wantKept(n byte, want string) {
	b.Helper()
	got, err := b.ledger.TakeKey(b.Context(), run, key(n))
	b.must(err)
	if got != want {
		b.Errorf("the key of call %d is %q, want %q", n, got, want)
	}
}

func (b *book) unblock(tool, effect string) {
	b.Helper()
	b.must(b.ledger.Unblock(b.Context(), run, tool, effect == "reads"))
}

func (b *book) unknowns(tools ...string) []interceptors.Unknown {
	b.Helper()
	unknowns, err := b.ledger.Unknowns(b.Context(), run, tools)
	b.must(err)
	return unknowns
}

func (b *book) wantUnknown(tools []string, arguments ...string) {
	b.Helper()
	var got []string
	for _, unknown := range b.unknowns(tools...) {
		got = append(got, string(unknown.Memory.Arguments))
	}
	if !slices.Equal(got, arguments) {
		b.Errorf("unknown of %v: %v, want %v", tools, got, arguments)
	}
}

func (b *book) judge(unknown interceptors.Unknown, settlement interceptors.Settlement, instead *interceptors.Memory) {
	b.Helper()
	b.must(b.ledger.Settle(b.Context(), run, unknown, settlement, instead))
}
