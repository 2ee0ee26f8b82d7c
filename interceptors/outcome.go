package interceptors

import toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"

// Outcome is how a call ended: a result or an error, exactly one.
type Outcome struct {
	Result *toolgatev1.ToolResult
	Error  *toolgatev1.ToolError

	// Verdict is what diagnose found beside the error. Zero for results and for
	// refusals of the gateway's own.
	Verdict Verdict

	// Exempt marks an error that never counts as a rejection by the tool: the
	// gateway's own refusals, unknown outcomes, narrow, verifying calls.
	Exempt bool

	// FromMemory marks an error that was answered without asking the tool. It is
	// not kept by once and not remembered again.
	FromMemory bool
}

// Verdict is what the rooms need to know of a failed attempt. It never leaves
// the gateway.
type Verdict struct {
	Executed    Executed // ExecutedNo or ExecutedMaybe after diagnosis
	Hinted      bool     // retry_after is the upstream's own
	NeverRetry  bool     // the upstream forbade repetition
	RateLimited bool     // hold others back even without a hint
	Scope       Scope    // what a wait holds for
	TimedOut    bool     // the attempt's timeout ended it
	Health      Health   // what it says of the upstream

	// Unasked is set by dispatch: the back end refused the request before anything
	// of it was sent. It is no attempt.
	Unasked bool

	// Hold is set by breaker: what keeps further attempts back from now on.
	// retry_after then says for how long.
	Hold Hold
	// Refused is set by breaker: it answered in the tool's place, and no attempt
	// was made.
	Refused bool
}

// Hold is what keeps attempts back.
type Hold int

// What keeps attempts back.
const (
	HoldNone     Hold = iota
	HoldCooldown      // somebody asked for a pause: it may be waited out
	HoldOpen          // the circuit is open: nobody waits for that
)

// Health is what a failed attempt says of its upstream; the breaker reads it.
type Health int

// What a failure says of an upstream.
const (
	HealthNeutral      Health = iota // says nothing: 429, a bare 500, a hinted 503
	HealthAlive                      // somebody answered: closes the count
	HealthToolDown                   // counts against (upstream, tool)
	HealthUpstreamDown               // counts against the upstream
)

// Response makes the wire message.
func (o *Outcome) Response() *toolgatev1.CallToolResponse {
	if o.Error != nil {
		return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Error{Error: o.Error}}
	}
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{Result: o.Result}}
}

// Failed reports whether the call ended in an error of that class.
func (o *Outcome) Failed(class toolgatev1.ErrorClass) bool {
	return o.Error != nil && o.Error.GetErrorClass() == class
}

// Unknown reports that nobody knows whether the call took effect. The code alone
// does not say so: a provider may use the same word for a refusal of its own.
func (o *Outcome) Unknown() bool {
	return o.Error.GetCode() == CodeOutcomeUnknown && o.Error.GetMaybeExecuted()
}

// The classes, short for the rooms.
const (
	Transient      = toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT
	InvalidRequest = toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST
	Terminal       = toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL
)

// The gateway's own codes. The list is frozen: see ToolError in the contract.
const (
	CodeUnknownTool       = "unknown_tool"
	CodeMalformedJSON     = "malformed_json"
	CodeInvalidArguments  = "invalid_arguments"
	CodeArgumentsTooLarge = "arguments_too_large"
	CodeRejectionCap      = "rejection_cap"
	CodeOutcomeUnknown    = "outcome_unknown"
	CodeAlreadyExecuted   = "already_executed"
	CodeCircuitOpen       = "circuit_open"
	CodeCoolingDown       = "cooling_down"
	CodeBusy              = "busy"
	CodeRunBudget         = "run_budget"
	CodeDeadlineTooShort  = "deadline_too_short"
	CodeCallIDReused      = "call_id_reused"
	CodeTimeout           = "timeout"
	CodeUnreachable       = "unreachable"
	CodeInternal          = "internal"
)

// BlockedByUnknownOutcome is blocked_by of every outcome_unknown.
const BlockedByUnknownOutcome = "unknown_outcome"

// RefuseTransient answers in the tool's place: come back in that many seconds.
func RefuseTransient(code, message string, retryAfter float64) *Outcome {
	return refuse(&toolgatev1.ToolError{
		ErrorClass: Transient, Code: code, Message: message, RetryAfter: &retryAfter,
	})
}

// RefuseTerminal answers in the tool's place: this call is over.
func RefuseTerminal(code, message string) *Outcome {
	return refuse(&toolgatev1.ToolError{ErrorClass: Terminal, Code: code, Message: message})
}

// RejectArguments answers in the tool's place: the arguments are wrong. Unlike
// a refusal it counts as a rejection.
func RejectArguments(code, message string, violations ...*toolgatev1.Violation) *Outcome {
	outcome := refuse(&toolgatev1.ToolError{
		ErrorClass: InvalidRequest, Code: code, Message: message, Violations: violations,
	})
	outcome.Exempt = false
	return outcome
}

func refuse(e *toolgatev1.ToolError) *Outcome {
	e.ClassifiedBy = toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY
	return &Outcome{Error: e, Exempt: true}
}
