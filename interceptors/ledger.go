package interceptors

import (
	"context"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Ledger remembers what runs did. It has two keepers, memory and Redis, and one
// contract test. All methods are safe for concurrent use and atomic. An error
// means that the keeper could not be asked; the rooms then carry on as if
// nothing were remembered.
type Ledger interface {
	RunBook
	RejectionBook
	RepeatBook
	ClaimBook
}

// Snapshot is a moment in the life of a run. Changes of the run have ascending
// sequence numbers, from 1, which never start again while the keeper lives, not
// even after EndRun; a snapshot holds the last one that it saw. The zero
// snapshot is older than everything: a call that holds it is never capped, and
// neither its rejections nor its failures are kept.
//
// A keeper may hold what it knows of the moment in View; then a snapshot is good
// only as a whole. Nobody else reads or sets it.
type Snapshot struct {
	Sequence uint64
	View     any
}

// Arrivals is what a ledger may offer besides, where asking costs a round trip:
// one question for a whole rpc.
type Arrivals interface {
	// Arrive is Snapshot for an rpc that makes calls of these ids (empty: none).
	// What the keeper learns of the run on this occasion travels in the context
	// that is returned; methods that are called with it need not ask again.
	Arrive(ctx context.Context, run RunKey, callIDs ...string) (context.Context, Snapshot, error)
}

// RunBook keeps runs as wholes.
type RunBook interface {
	// Snapshot marks the arrival of an rpc, and begins the run with its first. A
	// batch takes one for all its calls, before any queue. A room that forgets for
	// a fresh call takes another behind its forgetting.
	Snapshot(ctx context.Context, run RunKey) (Snapshot, error)
	// Tally adds one finished call. A run that ended while the call was in flight
	// is not begun again by it.
	Tally(ctx context.Context, run RunKey, tally Tally) error
	// Run sums up a run; false when nothing is known of it.
	Run(ctx context.Context, run RunKey) (*toolgatev1.RunSummary, bool, error)
	// EndRun sums up a run and forgets it whole.
	EndRun(ctx context.Context, run RunKey) (*toolgatev1.RunSummary, bool, error)
	// Spend counts one call of the run before it is made and returns the count,
	// this one included.
	Spend(ctx context.Context, run RunKey) (uint64, error)
}

// Tally is one finished call.
type Tally struct {
	Tool     string
	Failed   bool
	Class    toolgatev1.ErrorClass // of a failed call
	Attempts uint32
}

// RejectionBook counts semantic rejections of (run, tool).
type RejectionBook interface {
	// Standing tells whether the tool takes another call of this run. Capped is
	// false for a call that was in flight while the count changed: snapshot
	// decides.
	Standing(ctx context.Context, q StandingQuery) (Standing, error)
	// Reject raises the count unless the count or epoch changed since the
	// snapshot, the tool of Unblock succeeded since, or the run ended since, and
	// returns the count that stands now. Unblock is remembered with the count.
	Reject(ctx context.Context, r Rejection) (count uint32, err error)
	// Offer remembers alternatives that were offered in this run. The latest 6 per
	// tool stand; one that was taken does not stand again, and after 6 taken none
	// does, until that tool's next success.
	Offer(ctx context.Context, run RunKey, offers []Offer) error
	// TakeOffer reports whether this very call was offered, and uses the offer
	// up.
	TakeOffer(ctx context.Context, run RunKey, offer Offer) (bool, error)
	// ReturnOffer lets an offer that was taken stand again: its call came to
	// nothing that the tool decided.
	ReturnOffer(ctx context.Context, run RunKey, offer Offer) error
	// Forgive starts a new epoch, count 0, after a success of the tool: for the
	// tool, and for every tool of the run one of whose errors named it as
	// unblock_with. Offers for the tool are forgotten.
	Forgive(ctx context.Context, run RunKey, tool string) error
	// Pardon starts a new epoch, count 0, for the tool alone: a person acted.
	Pardon(ctx context.Context, run RunKey, tool string) error
}

// StandingQuery asks for the standing of a call.
type StandingQuery struct {
	Run      RunKey
	Tool     string
	Version  string // another version than the count's starts a new epoch
	Snapshot Snapshot
	Cap      uint32        // 0: no cap
	RunCap   uint32        // 0: no cap over all tools
	Memory   time.Duration // a count older than this since its last rejection is forgotten
}

// Standing is a tool's count within a run.
type Standing struct {
	Count uint32
	// Capped: the count, or the run's, stood at its cap when the snapshot was
	// taken.
	Capped bool
}

// Rejection is one semantic rejection.
type Rejection struct {
	StandingQuery
	Unblock string // the error's unblock_with; empty: none
	// Offered: the rejected call was an offered alternative. The count stays;
	// Unblock is remembered.
	Offered bool
}

// Offer is an alternative: a tool and the key of its arguments.
type Offer struct {
	Tool string
	Key  Key
}

// RepeatBook remembers calls that came back failed, and unknown outcomes.
type RepeatBook interface {
	// Recall returns what is remembered of this very call. An expired memory is
	// returned with Until in the past, since its age decides about the next.
	Recall(ctx context.Context, run RunKey, key Key) (*Memory, error)
	// Remember stores a failure, unless something that would forget it happened
	// since the snapshot, or an unknown outcome stands there. An unknown outcome is
	// always stored. The memory is the caller's again: the keeper copies it.
	Remember(ctx context.Context, run RunKey, key Key, memory *Memory, snapshot Snapshot) error
	// Erase forgets this very call, an unknown outcome included.
	Erase(ctx context.Context, run RunKey, key Key) error
	// Unblock forgets terminal and invalid entries after a success: all of the
	// run's where the tool is not a read, else those whose error named it as
	// unblock_with. Unknown outcomes stay.
	Unblock(ctx context.Context, run RunKey, tool string, reads bool) error
	// Unknowns returns the run's unknown outcomes of these tools. None: nil.
	Unknowns(ctx context.Context, run RunKey, tools []string) ([]Unknown, error)
	// Settle lifts an unknown outcome (DidNotExecute) or puts replacement in its
	// place (DidExecute). It does nothing where the outcome that Unknowns returned
	// is settled already, even if the same call has become unknown again since.
	Settle(ctx context.Context, run RunKey, unknown Unknown, settlement Settlement, replacement *Memory) error
	// Held reports which of these calls would be refused now.
	Held(ctx context.Context, run RunKey, keys []Key) ([]bool, error)

	// KeepKey keeps the idempotency key of a call that ended unknown.
	KeepKey(ctx context.Context, run RunKey, key Key, idempotencyKey string) error
	// TakeKey returns the kept key of this very call and gives it up to the
	// caller; empty when none is kept.
	TakeKey(ctx context.Context, run RunKey, key Key) (string, error)
}

// Blanks is what a ledger may offer besides, where it can tell at once.
type Blanks interface {
	// Blank reports that no failure and no unknown outcome of the run is
	// remembered at all, so that Recall would return none. It may say false without
	// need.
	Blank(ctx context.Context, run RunKey) bool
}

// Memory is one remembered failure.
type Memory struct {
	Tool    string
	Version string // of the tool; another one forgets the memory
	Error   *toolgatev1.ToolError
	Until   time.Time     // answered from memory until then
	TTL     time.Duration // how long this memory was made for; doubles
	Unknown bool          // an unknown outcome: lives as long as the run
	// Arguments of an unknown outcome, redacted, at most 4 KiB.
	Arguments []byte
}

// Unknown is one call whose outcome is unknown.
type Unknown struct {
	Key      Key
	Memory   *Memory
	Sequence uint64 // of the change that made it unknown
}

// ClaimBook makes each call_id one call.
type ClaimBook interface {
	// Claim takes the call id for this call, or tells what became of it.
	// Same = tool + bytes of arguments_json, hashed. fresh replaces a claim of the
	// same call that has ended, never a running one.
	Claim(ctx context.Context, run RunKey, callID string, same Key, fresh bool) (Claim, error)
	// SettleClaim stores the outcome of a claimed call; nil says that it is lost.
	SettleClaim(ctx context.Context, run RunKey, callID string, response *toolgatev1.CallToolResponse) error
	// ReleaseClaim gives the call id free: the outcome is not kept.
	ReleaseClaim(ctx context.Context, run RunKey, callID string) error
}

// Claim is what became of a call id.
type Claim struct {
	State    ClaimState
	Response *toolgatev1.CallToolResponse // ClaimSettled
}

// ClaimState is the state of a call id.
type ClaimState int

// The states of a call id.
const (
	ClaimTaken    ClaimState = iota // it is this call's now
	ClaimRunning                    // the same call is running
	ClaimSettled                    // the same call ended; here is its outcome
	ClaimTooLarge                   // it ended in a result that is too large to keep
	ClaimLost                       // it ended and its outcome was dropped
	ClaimOther                      // the id belongs to another call
)
