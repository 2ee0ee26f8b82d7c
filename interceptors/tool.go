package interceptors

import (
	"context"
	"encoding/json"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Tool is one tool of a catalogue snapshot, compiled. It is shared by calls and
// never changes.
type Tool struct {
	Name        string
	Version     string // changes whenever the tool's entry or its upstream's does
	Description string
	SchemaJSON  string // as ListTools shows it
	Upstream    string // key of breakers, cooldowns, budgets
	Effect      toolgatev1.Effect
	Poll        bool   // never answered from memory
	Narrow      string // argument to narrow after timeouts; empty: off

	// Unknown marks the pseudo-tool that all of a run's unknown and forbidden
	// names share. It has a Policy, and nothing else below.
	Unknown bool

	// Unvalidated marks a tool whose schema does not compile: any object passes,
	// and each call is counted.
	Unvalidated bool

	HasIdempotencyKey bool
	Fallbacks         []*toolgatev1.Alternative // vetted, at most 3

	Backend      Backend
	Schema       Schema
	Rules        Rules         // nil: none
	Diagnosis    DiagnosisHint // what diagnose may know of the upstream
	Lookup       *Lookup       // nil: none
	Verification *Verification // nil: none

	Results ResultShape
	Policy  Policy
}

// ResultShape says what a tool's answers look like. Both are JSON Pointers (RFC
// 6901) and may be empty: then the list is found by looking, and the number of
// all matches is not known.
type ResultShape struct {
	Items   string // the list that may be cut
	Matched string // the number of all matches upstream
}

// RunsOnce reports whether a second execution could do harm.
func (t *Tool) RunsOnce() bool {
	return t.Effect != toolgatev1.Effect_EFFECT_READ && t.Effect != toolgatev1.Effect_EFFECT_IDEMPOTENT
}

// Reads reports whether the tool changes nothing.
func (t *Tool) Reads() bool { return t.Effect == toolgatev1.Effect_EFFECT_READ }

// DiagnosisHint is what the catalogue knows of an upstream's failures.
type DiagnosisHint struct {
	Host           string // the upstream's host without port; empty: not known
	Provider       string // catalogue's `provider`; empty: recognise by host or shape
	Method         string // HTTP method, or the full gRPC method
	SpeaksToolgate bool   // its error bodies are believed (rung 1)
	// Required names the schema's required arguments, for a bare 4xx.
	Required []string
	// Secrets are values that the gateway itself sends upstream. They are
	// removed from whatever comes back.
	Secrets []string
}

// Backend sends one attempt. Implementations are safe for concurrent use, never
// retry, honour ctx, and tell honestly whether bytes left.
type Backend interface {
	Attempt(ctx context.Context, call *Call) *Reply
}

// Schema judges a tool's arguments.
type Schema interface {
	// Check parses, coerces and validates text. It never fails: what is wrong is
	// in Checked.Fault.
	Check(text string) Checked
}

// Rules are an operator's error rules of one tool.
type Rules interface {
	// Match returns the verdict of the first rule that speaks, else nil.
	// arguments is the call's JSON.
	Match(reply *Reply, arguments []byte) *RuleVerdict
}

// RuleVerdict is what a rule says; a zero field says nothing.
type RuleVerdict struct {
	Class         toolgatev1.ErrorClass
	Code, Message string
	Violation     *toolgatev1.Violation // nil: none
	BlockedBy     string
	UnblockWith   string
	FactsJSON     string
	RequestedJSON string
	RetryAfter    *float64 // seconds
	Executed      Executed // ExecutedUnknown: as status or transport tells
	Scope         Scope
	Alternatives  []*toolgatev1.Alternative
	Truncated     bool // more alternatives than are listed
}

// Lookup finds calls that would have worked.
type Lookup struct {
	Tool string
	When LookupWhen
	// Arguments makes the lookup's arguments from the failed call's.
	Arguments func(arguments []byte, failed *toolgatev1.ToolError) (json.RawMessage, error)
	// Items turns the lookup's result into alternatives, nearest first, all of
	// them.
	Items func(result *toolgatev1.ToolResult, arguments []byte, failed *toolgatev1.ToolError) ([]*toolgatev1.Alternative, error)
}

// LookupWhen says when alternatives are looked up.
type LookupWhen int

// When alternatives are looked up.
const (
	LookupNever LookupWhen = iota
	LookupOnRequest
	LookupAlways
)

// Verification finds out whether a write took effect.
type Verification struct {
	Tool string // the read that tells
	// Settle judges one unknown call (its redacted arguments) by the outcome of
	// a verifying call and that call's arguments.
	Settle func(outcome *Outcome, arguments, unknown []byte) Settlement
}

// Settlement is what a verifying call says of one unknown outcome.
type Settlement int

// What a verifying call says.
const (
	StillUnknown Settlement = iota
	DidNotExecute
	DidExecute
)

// Policy holds the numbers of the rooms for one tool, resolved: defaults,
// catalogue defaults, the tool's own. Zero means what the catalogue's Policy
// message says of it.
type Policy struct {
	RejectionCap       uint32
	RejectionCapPerRun uint32
	RejectionMemory    time.Duration

	MaxInFlightPerRun  uint32
	MaxInFlightPerTool uint32
	MaxQueued          uint32
	QueueTimeout       time.Duration
	MaxCallsPerRun     uint32
	MaxArgumentsBytes  uint32
	MaxResultBytes     uint32

	RepeatMemory    time.Duration
	RepeatMemoryMax time.Duration

	MaxAttempts      uint32
	Backoff          time.Duration
	BackoffMax       time.Duration
	MaxWait          time.Duration
	CallDeadline     time.Duration
	AttemptTimeout   time.Duration
	RetryBudget      float64
	RetryBudgetFloor float64

	BreakerFailures uint32
	BreakerOpen     time.Duration
	CooldownMax     time.Duration

	AlternativesTimeout time.Duration
}

// DefaultPolicy returns the numbers of the design.
func DefaultPolicy() Policy {
	return Policy{
		RejectionCap: 3, RejectionMemory: 10 * time.Minute,
		MaxInFlightPerRun: 256, MaxInFlightPerTool: 1024, MaxQueued: 256, QueueTimeout: 2 * time.Second,
		MaxArgumentsBytes: 256 << 10, MaxResultBytes: 1 << 20,
		RepeatMemory: 2 * time.Minute, RepeatMemoryMax: 16 * time.Minute,
		MaxAttempts: 5, Backoff: time.Second, BackoffMax: 16 * time.Second, MaxWait: 20 * time.Second,
		CallDeadline: 60 * time.Second, AttemptTimeout: 20 * time.Second,
		RetryBudget: 0.2, RetryBudgetFloor: 10,
		BreakerFailures: 5, BreakerOpen: 30 * time.Second, CooldownMax: 60 * time.Second,
		AlternativesTimeout: 250 * time.Millisecond,
	}
}
