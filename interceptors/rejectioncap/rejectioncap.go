package rejectioncap

import (
	"context"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Ledger is what the room needs of the ledger.
type Ledger interface {
	interceptors.RejectionBook
	// Snapshot marks the moment behind a pardon.
	Snapshot(ctx context.Context, run interceptors.RunKey) (interceptors.Snapshot, error)
}

// KeyOf returns the identity of a call of that tool with those arguments, by the
// catalogue that is pinned for call. False: no such tool, or the arguments break
// its schema. It must be safe for concurrent use.
type KeyOf func(call *interceptors.Call, tool, arguments string) (interceptors.Key, bool)

// Usable returns those alternatives that the caller may use and that would not
// be refused from memory, in their order. It must be safe for concurrent use and
// must not change its argument.
type Usable func(ctx context.Context, call *interceptors.Call, alternatives []*toolgatev1.Alternative) []*toolgatev1.Alternative

// Room counts rejections. It is safe for concurrent use.
type Room struct {
	ledger Ledger
	keyOf  KeyOf
	usable Usable
}

// New makes the room. A nil keyOf knows no identity: then nothing is offered. A
// nil usable finds everything usable.
func New(ledger Ledger, keyOf KeyOf, usable Usable) *Room {
	if keyOf == nil {
		keyOf = func(*interceptors.Call, string, string) (interceptors.Key, bool) { return interceptors.Key{}, false }
	}
	if usable == nil {
		usable = func(_ context.Context, _ *interceptors.Call, all []*toolgatev1.Alternative) []*toolgatev1.Alternative {
			return all
		}
	}
	return &Room{ledger: ledger, keyOf: keyOf, usable: usable}
}

// visit is one call in the room.
type visit struct {
	*Room
	call     *interceptors.Call
	query    interceptors.StandingQuery
	standing interceptors.Standing
	offer    interceptors.Offer // that was taken
	offered  bool
}

// receive asks where the call stands. A keeper that can't be asked remembers
// nothing.
func (r *Room) receive(ctx context.Context, call *interceptors.Call) visit {
	policy := &call.Tool.Policy
	v := visit{Room: r, call: call, query: interceptors.StandingQuery{
		Run: call.Run, Tool: call.Tool.Name, Version: call.Tool.Version, Snapshot: call.Snapshot,
		Cap: policy.RejectionCap, RunCap: policy.RejectionCapPerRun, Memory: policy.RejectionMemory,
	}}
	if call.Fresh {
		v.pardon(ctx)
	}
	v.standing, _ = r.ledger.Standing(ctx, v.query)
	return v
}

// pardon lifts the count, and moves the call behind its own pardon: its own
// rejection counts in the new epoch.
func (v *visit) pardon(ctx context.Context) {
	_ = v.ledger.Pardon(ctx, v.call.Run, v.call.Tool.Name)
	if snapshot, err := v.ledger.Snapshot(ctx, v.call.Run); err == nil {
		v.query.Snapshot = snapshot
	}
}

// takeOffer reports whether this very call was offered.
func (v *visit) takeOffer(ctx context.Context) bool {
	key, ok := v.keyOf(v.call, v.call.Tool.Name, v.call.Text)
	if ok {
		v.takeOfferOf(ctx, key)
	}
	return v.offered
}

func (v *visit) takeOfferOf(ctx context.Context, key interceptors.Key) {
	v.offer = interceptors.Offer{Tool: v.call.Tool.Name, Key: key}
	v.offered, _ = v.ledger.TakeOffer(ctx, v.call.Run, v.offer)
}

// returnOffer gives an offer back whose call came to nothing that the tool
// decided: it is sent again, and must pass again.
func (v *visit) returnOffer(ctx context.Context) {
	if v.offered {
		_ = v.ledger.ReturnOffer(ctx, v.call.Run, v.offer)
	}
}

// refuse answers a call that is over the cap.
func (v *visit) refuse(ctx context.Context) *interceptors.Outcome {
	message := fmt.Sprintf("this tool takes no more calls in this run: it has rejected %d", v.standing.Count)
	if v.query.Cap == 0 || v.standing.Count < v.query.Cap {
		message = "this run may make no more calls: too many were rejected"
	}
	outcome := interceptors.RefuseTerminal(interceptors.CodeRejectionCap, message)
	outcome.FromMemory = true // asked again, the answer may be another
	interceptors.AddNote(outcome.Error, "use another approach or report")
	outcome.Error.RejectionsInRun = v.standing.Count
	for _, fallback := range v.usable(ctx, v.call, v.call.Tool.Fallbacks) {
		outcome.Error.Alternatives = append(outcome.Error.Alternatives, proto.CloneOf(fallback)) // the catalogue's own is shared
	}
	v.remember(ctx, outcome.Error)
	return outcome
}

// weigh counts an error that leaves, and says where the count stands.
func (v *visit) weigh(ctx context.Context, outcome *interceptors.Outcome) *interceptors.Outcome {
	weighed := *outcome
	weighed.Error = proto.CloneOf(outcome.Error) // the room within may have kept it
	count := v.standing.Count
	if rejected(v.call, outcome) {
		count = v.reject(ctx, outcome.Error)
		v.stop(ctx, weighed.Error, count)
	} else {
		v.returnOffer(ctx)
	}
	weighed.Error.RejectionsInRun = count
	v.remember(ctx, weighed.Error)
	return &weighed
}

// rejected reports that the tool, or whoever speaks for it, turned the call down
// for what it is.
func rejected(call *interceptors.Call, outcome *interceptors.Outcome) bool {
	e := outcome.Error
	switch {
	case outcome.Exempt, call.Verifying, e.GetMaybeExecuted():
		return false
	case e.GetCode() == interceptors.CodeInternal && e.GetClassifiedBy() == toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY:
		return false
	}
	return outcome.Failed(interceptors.InvalidRequest) || outcome.Failed(interceptors.Terminal)
}

func (v *visit) reject(ctx context.Context, e *toolgatev1.ToolError) uint32 {
	if known := v.call.Arguments.Identity(); !v.offered && known != (interceptors.Key{}) {
		v.takeOfferOf(ctx, known)
	}
	count, err := v.ledger.Reject(ctx, interceptors.Rejection{
		StandingQuery: v.query, Unblock: e.GetUnblockWith(), Offered: v.offered,
	})
	if err != nil {
		return v.standing.Count
	}
	return count
}

// stop turns a rejection terminal where the next call would be refused: the model
// learns it together with the diagnosis.
func (v *visit) stop(ctx context.Context, e *toolgatev1.ToolError, count uint32) {
	switch {
	case v.query.Cap > 0 && count >= v.query.Cap:
		interceptors.AddNote(e, fmt.Sprintf("this tool has rejected %s of this run: use another approach or report", calls(count)))
	case v.runCapped(ctx):
		interceptors.AddNote(e, "too many calls of this run were rejected: report")
	default:
		return
	}
	e.ErrorClass = interceptors.Terminal
}

func (v *visit) runCapped(ctx context.Context) bool {
	if v.query.RunCap == 0 {
		return false
	}
	now := v.query
	now.Snapshot = interceptors.Snapshot{Sequence: math.MaxUint64}
	standing, err := v.ledger.Standing(ctx, now)
	return err == nil && standing.Capped
}

// remember keeps what the error offers.
func (v *visit) remember(ctx context.Context, e *toolgatev1.ToolError) {
	var offers []interceptors.Offer
	for _, alternative := range e.GetAlternatives() {
		if alternative.GetArgumentsJson() == "" {
			continue
		}
		tool := alternative.GetTool()
		if tool == "" {
			tool = v.call.Tool.Name
		}
		if key, ok := v.keyOf(v.call, tool, alternative.GetArgumentsJson()); ok {
			offers = append(offers, interceptors.Offer{Tool: tool, Key: key})
		}
	}
	if len(offers) > 0 {
		_ = v.ledger.Offer(ctx, v.call.Run, offers)
	}
}

func calls(n uint32) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}
