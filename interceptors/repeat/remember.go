package repeat

import (
	"context"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	maxKeptArguments = 4 << 10 // bytes
	maxWait          = 1e9     // seconds that a duration holds for sure
)

// succeeded forgets what a success may have cured.
func (v *visit) succeeded(ctx context.Context) {
	run, tool := v.call.Run, v.call.Tool
	_ = v.ledger.Unblock(ctx, run, tool.Name, tool.Reads())
	if v.memory != nil && !v.memory.Unknown && tool.Reads() {
		// An old failure of this very call: the next one is a first again.
		_ = v.ledger.Erase(ctx, run, v.call.Arguments.Identity())
	}
}

// failed remembers an error that upstream decided.
func (v *visit) failed(ctx context.Context, outcome *interceptors.Outcome) {
	e := outcome.Error
	m := &interceptors.Memory{Tool: v.call.Tool.Name, Version: v.call.Tool.Version, Error: e}
	switch {
	case outcome.Unknown():
		m.Unknown, m.Arguments = true, v.arguments()
	case v.call.Tool.Poll, outcome.Verdict.Refused, e.GetClassifiedBy() == toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY:
		return
	case e.GetErrorClass() == interceptors.Transient:
		m.TTL = wait(e.GetRetryAfter())
	default:
		m.TTL = v.lifetime(e)
	}
	if !m.Unknown && m.TTL <= 0 {
		return
	}
	m.Until = time.Now().Add(m.TTL)
	_ = v.ledger.Remember(ctx, v.call.Run, v.call.Arguments.Identity(), m, v.snapshot)
}

// arguments returns what is kept of an unknown call's, for its verification.
func (v *visit) arguments() []byte {
	kept := v.redact(v.call.Arguments.JSON)
	if len(kept) > maxKeptArguments {
		return nil // a verification that reads them can't tell, and the call stays unknown
	}
	return kept
}

func wait(seconds float64) time.Duration {
	if !(seconds > 0) { // NaN, too
		return 0
	}
	return time.Duration(min(seconds, maxWait) * float64(time.Second))
}

// lifetime doubles what the last memory had where the real call said the same.
func (v *visit) lifetime(e *toolgatev1.ToolError) time.Duration {
	policy, last := &v.call.Tool.Policy, v.memory
	if last == nil || last.Unknown || last.Version != v.call.Tool.Version {
		return policy.RepeatMemory
	}
	if last.Error.GetErrorClass() != e.GetErrorClass() || last.Error.GetCode() != e.GetCode() {
		return policy.RepeatMemory
	}
	return max(policy.RepeatMemory, min(2*last.TTL, policy.RepeatMemoryMax))
}

// settle has a verifying call judge each unknown outcome that stood when it was
// sent.
func (v *visit) settle(ctx context.Context, outcome *interceptors.Outcome) {
	for _, unknown := range v.unknowns {
		tool := v.toolOf(unknown)
		if tool == nil || tool.Verification == nil || tool.Verification.Settle == nil {
			continue
		}
		settlement := tool.Verification.Settle(outcome, v.call.Arguments.JSON, unknown.Memory.Arguments)
		if settlement == interceptors.StillUnknown {
			continue
		}
		_ = v.ledger.Settle(ctx, v.call.Run, unknown, settlement, executed(tool))
	}
}

func (v *visit) toolOf(unknown interceptors.Unknown) *interceptors.Tool {
	for _, tool := range v.verified {
		if tool.Name == unknown.Memory.Tool {
			return tool
		}
	}
	return nil
}

// executed is what stands in the place of a call that is known to have taken
// effect.
func executed(tool *interceptors.Tool) *interceptors.Memory {
	refusal := interceptors.RefuseTerminal(interceptors.CodeAlreadyExecuted,
		"this call took effect, as its verification has shown; its own answer is lost")
	ttl := tool.Policy.RepeatMemoryMax
	return &interceptors.Memory{
		Tool: tool.Name, Version: tool.Version, Error: refusal.Error, TTL: ttl, Until: time.Now().Add(ttl),
	}
}
