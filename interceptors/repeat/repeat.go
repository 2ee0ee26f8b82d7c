package repeat

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Ledger is what the room needs of the ledger.
type Ledger interface {
	interceptors.RepeatBook
	// Snapshot marks the moment behind an erasure.
	Snapshot(ctx context.Context, run interceptors.RunKey) (interceptors.Snapshot, error)
}

// VerifiesFor returns the tools whose verification is this tool, of the same
// catalogue; nil for most. It is asked on every call, so it looks up and does
// not search, and must be safe for concurrent use.
type VerifiesFor func(tool *interceptors.Tool) []*interceptors.Tool

// Redact returns arguments fit to be kept: JSON without secrets, at most 4 KiB.
// It must not change its argument.
type Redact func(arguments []byte) []byte

// Usable returns those alternatives that the caller may use and that would not
// be refused from memory, in their order. It must be safe for concurrent use and
// must not change its argument.
type Usable func(ctx context.Context, call *interceptors.Call, alternatives []*toolgatev1.Alternative) []*toolgatev1.Alternative

// Room answers repeats. It is safe for concurrent use.
type Room struct {
	ledger      Ledger
	verifiesFor VerifiesFor
	redact      Redact
	usable      Usable
}

// New makes the room. A nil verifiesFor verifies nothing, with a nil redact no
// arguments are kept, and a nil usable finds everything usable.
func New(ledger Ledger, verifiesFor VerifiesFor, redact Redact, usable Usable) *Room {
	if verifiesFor == nil {
		verifiesFor = func(*interceptors.Tool) []*interceptors.Tool { return nil }
	}
	if redact == nil {
		redact = func([]byte) []byte { return nil }
	}
	if usable == nil {
		usable = func(_ context.Context, _ *interceptors.Call, all []*toolgatev1.Alternative) []*toolgatev1.Alternative {
			return all
		}
	}
	return &Room{ledger: ledger, verifiesFor: verifiesFor, redact: redact, usable: usable}
}

// visit is one call in the room.
type visit struct {
	*Room
	call     *interceptors.Call
	snapshot interceptors.Snapshot
	memory   *interceptors.Memory // of this very call; nil: none
	verified []*interceptors.Tool // whose unknown outcomes this call may settle
	unknowns []interceptors.Unknown
}

// receive asks what is remembered. A keeper that can't be asked remembers
// nothing.
func (r *Room) receive(ctx context.Context, call *interceptors.Call) visit {
	v := visit{Room: r, call: call, snapshot: call.Snapshot}
	if call.Fresh {
		v.erase(ctx)
	} else {
		v.memory = r.recall(ctx, call)
	}
	if v.verified = r.verifiesFor(call.Tool); len(v.verified) > 0 {
		v.unknowns, _ = r.ledger.Unknowns(ctx, call.Run, namesOf(v.verified))
		call.Verifying = len(v.unknowns) > 0
	}
	return v
}

// recall asks for this very call, unless the run has nothing to be remembered:
// then its identity need not be made.
func (r *Room) recall(ctx context.Context, call *interceptors.Call) *interceptors.Memory {
	if blanks, ok := r.ledger.(interceptors.Blanks); ok && blanks.Blank(ctx, call.Run) {
		return nil
	}
	memory, _ := r.ledger.Recall(ctx, call.Run, call.Arguments.Identity())
	return memory
}

func namesOf(tools []*interceptors.Tool) []string {
	names := make([]string, 0, len(tools))
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}

// erase forgets this call, and moves it behind its own erasure: what it comes
// back with is remembered.
func (v *visit) erase(ctx context.Context) {
	_ = v.ledger.Erase(ctx, v.call.Run, v.call.Arguments.Identity())
	if snapshot, err := v.ledger.Snapshot(ctx, v.call.Run); err == nil {
		v.snapshot = snapshot
	}
}

// answer tells what is remembered; nil: the tool has to be asked.
func (v *visit) answer(ctx context.Context) *interceptors.Outcome {
	left, speaks := v.speaks(time.Now())
	if !speaks {
		return nil
	}
	e := proto.CloneOf(v.memory.Error)
	e.Attempts, e.RejectionsInRun, e.Observation = 0, 0, ""
	e.ClassifiedBy = toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY
	e.CorrelationId = v.call.CorrelationID
	for _, alternative := range e.GetAlternatives() {
		if alternative.GetTool() == "" { // the provider's own list is of its own tool
			alternative.Tool = v.call.Tool.Name
		}
	}
	e.Alternatives = v.usable(ctx, v.call, e.GetAlternatives())
	if e.GetErrorClass() == interceptors.Transient {
		seconds := left.Seconds()
		e.RetryAfter = &seconds
	}
	interceptors.AddNote(e, noteOn(v.memory))
	// The tool's rejection, said again, is one more. A refusal is ours.
	exempt := e.GetErrorClass() != interceptors.InvalidRequest
	return &interceptors.Outcome{Error: e, Exempt: exempt, FromMemory: true}
}

// speaks reports whether the memory answers this call, and for how much longer.
func (v *visit) speaks(now time.Time) (left time.Duration, ok bool) {
	m := v.memory
	switch {
	case m == nil, v.call.Verifying:
		return 0, false
	case m.Unknown:
		return 0, true
	case v.call.Tool.Poll, m.Version != v.call.Tool.Version:
		return 0, false
	}
	left = m.Until.Sub(now)
	return left, left > 0
}

func noteOn(m *interceptors.Memory) string {
	switch {
	case m.Unknown:
		return "not sent again: its outcome is unknown"
	case m.Error.GetErrorClass() == interceptors.Transient:
		return "the tool was not asked again before its time"
	case m.Error.GetCode() == interceptors.CodeAlreadyExecuted:
		return "not sent again"
	default:
		return "not sent again: the identical call came back so before"
	}
}
