package interceptors

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// RunKey names a run: it belongs to one principal, everywhere.
type RunKey struct {
	Principal string // who calls; "anonymous" until callers are authenticated
	ID        string // run_id, 1 to 128 bytes
}

// Key is the SHA-256 of a call's tool and canonical arguments: what makes two
// calls identical.
type Key [32]byte

// Call is one tool call on its way through the chain. It belongs to one
// goroutine at a time; a room writes only the fields that say so.
type Call struct {
	Run              RunKey
	ID               string // call_id; empty when the caller gave none
	Name             string // the tool's name as the caller wrote it
	Text             string // arguments_json as the model wrote it
	WantAlternatives bool
	Fresh            bool
	Batch            bool // one of several calls of a CallTools rpc

	Arrived       time.Time
	Snapshot      Snapshot // of the run, taken when the rpc arrived
	CorrelationID string
	Progress      func(*toolgatev1.CallProgress) // never nil; must not block for long

	// Tool is pinned by resolve: one catalogue snapshot for the whole call.
	// Never nil behind resolve; an unknown or forbidden name gets a pseudo-tool.
	Tool *Tool

	// Arguments is set by the arguments room: parsed, coerced, valid.
	Arguments Checked

	// Verifying is set by repeat: this call may settle unknown outcomes.
	Verifying bool

	// IdempotencyKey is set by retry for tools that have one; the same on every
	// attempt.
	IdempotencyKey string

	// Trace is filled on the way, for logs and metrics alone.
	Trace Trace
}

// Trace is what the rooms note of a call for logs and metrics. Nothing decides
// by it.
type Trace struct {
	Attempts uint32        // upstream attempts started
	Upstream time.Duration // spent in attempts
	Waited   time.Duration // slept between attempts
	Queued   time.Duration // waited for a turn
	Answered string        // the room that answered in the tool's place; empty: the tool
}

// NewCall makes the call of one ToolCall message.
func NewCall(run RunKey, msg *toolgatev1.ToolCall, arrived time.Time, snapshot Snapshot) *Call {
	return &Call{
		Run: run, ID: msg.GetCallId(), Name: msg.GetTool(), Text: msg.GetArgumentsJson(),
		WantAlternatives: msg.GetWantAlternatives(), Fresh: msg.GetFresh(),
		Arrived: arrived, Snapshot: snapshot, CorrelationID: NewCorrelationID(),
		Progress: func(*toolgatev1.CallProgress) {},
	}
}

// NewCorrelationID makes 16 random hex digits.
func NewCorrelationID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// Checked is what the arguments room found out about a call's arguments.
type Checked struct {
	JSON      []byte                 // what is sent: the caller's own bytes unless coerced
	Coercions []*toolgatev1.Coercion // what was changed

	// Key is the identity of tool and canonical arguments, zero where Keyer is
	// still to make it: ask Identity.
	Key   Key
	Keyer Keyer // nil: Key stands

	// Fault is nil when the arguments are valid. Otherwise it is a complete
	// INVALID_REQUEST of the gateway: malformed_json or invalid_arguments.
	Fault *toolgatev1.ToolError
}

// Keyer makes the identity of a call from arguments that are valid. It must be
// safe for concurrent use.
type Keyer interface {
	MakeKey(argumentsJSON []byte) Key
}

// Identity is the identity of tool and canonical arguments; zero where they are
// not valid. It is made when it is first asked for: most calls succeed before
// anybody does, and of large arguments it costs as much as all else.
func (c *Checked) Identity() Key {
	if c.Keyer != nil {
		c.Key, c.Keyer = c.Keyer.MakeKey(c.JSON), nil
	}
	return c.Key
}
