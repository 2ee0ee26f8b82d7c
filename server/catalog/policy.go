package catalog

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
)

const (
	maxMessageBytes = 3 << 20
	maxAttempts     = 10
	maxWaitingTime  = time.Hour
	maxMemory       = 7 * 24 * time.Hour
)

// policyReader puts an operator's numbers over others.
type policyReader struct {
	report *report
	at     at
}

// over returns base with what is written put over it.
func (b *builder) over(base interceptors.Policy, at at, written *catalogv1.Policy) interceptors.Policy {
	if written == nil {
		return base
	}
	p := base
	r := policyReader{report: b.report, at: at}
	r.count("rejection_cap", written.RejectionCap, &p.RejectionCap, 0, math.MaxUint32)
	r.count("rejection_cap_per_run", written.RejectionCapPerRun, &p.RejectionCapPerRun, 0, math.MaxUint32)
	r.count("max_in_flight_per_run", written.MaxInFlightPerRun, &p.MaxInFlightPerRun, 0, math.MaxUint32)
	r.count("max_in_flight_per_tool", written.MaxInFlightPerTool, &p.MaxInFlightPerTool, 0, math.MaxUint32)
	r.count("max_queued", written.MaxQueued, &p.MaxQueued, 0, math.MaxUint32)
	r.count("max_calls_per_run", written.MaxCallsPerRun, &p.MaxCallsPerRun, 0, math.MaxUint32)
	r.count("max_arguments_bytes", written.MaxArgumentsBytes, &p.MaxArgumentsBytes, 1, maxMessageBytes)
	r.count("max_result_bytes", written.MaxResultBytes, &p.MaxResultBytes, 1, maxMessageBytes)
	r.count("max_attempts", written.MaxAttempts, &p.MaxAttempts, 1, maxAttempts)
	r.count("breaker_failures", written.BreakerFailures, &p.BreakerFailures, 0, math.MaxUint32)

	r.span("rejection_memory", written.GetRejectionMemory(), &p.RejectionMemory, time.Millisecond, maxMemory)
	r.span("repeat_memory", written.GetRepeatMemory(), &p.RepeatMemory, 0, maxMemory)
	r.span("repeat_memory_max", written.GetRepeatMemoryMax(), &p.RepeatMemoryMax, 0, maxMemory)
	r.span("queue_timeout", written.GetQueueTimeout(), &p.QueueTimeout, 0, maxWaitingTime)
	r.span("backoff", written.GetBackoff(), &p.Backoff, time.Millisecond, maxWaitingTime)
	r.span("backoff_max", written.GetBackoffMax(), &p.BackoffMax, time.Millisecond, maxWaitingTime)
	r.span("max_wait", written.GetMaxWait(), &p.MaxWait, 0, maxWaitingTime)
	r.span("call_deadline", written.GetCallDeadline(), &p.CallDeadline, time.Millisecond, maxWaitingTime)
	r.span("attempt_timeout", written.GetAttemptTimeout(), &p.AttemptTimeout, time.Millisecond, maxWaitingTime)
	r.span("breaker_open", written.GetBreakerOpen(), &p.BreakerOpen, time.Millisecond, maxWaitingTime)
	r.span("cooldown_max", written.GetCooldownMax(), &p.CooldownMax, 0, maxWaitingTime)
	r.span("alternatives_timeout", written.GetAlternativesTimeout(), &p.AlternativesTimeout, time.Millisecond, maxWaitingTime)

	r.share("retry_budget", written.RetryBudget, &p.RetryBudget, 1)
	r.share("retry_budget_floor", written.RetryBudgetFloor, &p.RetryBudgetFloor, 1e6)
	r.agree(written, &p)
	return p
}

// agree holds pairs of numbers against each other. Where only one of a pair is
// written the other follows it.
func (r policyReader) agree(written *catalogv1.Policy, p *interceptors.Policy) {
	if p.BackoffMax < p.Backoff {
		if written.GetBackoffMax() != nil {
			r.report.sayf(r.at.field("backoff_max"), "at least backoff", "%v is less than backoff, %v", p.BackoffMax, p.Backoff)
		}
		p.BackoffMax = p.Backoff
	}
	if p.RepeatMemoryMax < p.RepeatMemory {
		if written.GetRepeatMemoryMax() != nil {
			r.report.sayf(r.at.field("repeat_memory_max"), "at least repeat_memory", "%v is less than repeat_memory, %v", p.RepeatMemoryMax, p.RepeatMemory)
		}
		p.RepeatMemoryMax = p.RepeatMemory
	}
	if p.MaxWait >= p.CallDeadline {
		if written.GetMaxWait() != nil {
			r.report.sayf(r.at.field("max_wait"), "less than call_deadline", "%v leaves no time for an attempt within call_deadline, %v", p.MaxWait, p.CallDeadline)
		}
		p.MaxWait = p.CallDeadline / 3 // as the defaults stand to each other
	}
}

func (r policyReader) count(name string, written, into *uint32, low, high uint32) {
	if written == nil {
		return
	}
	if *written < low || *written > high {
		r.report.sayf(r.at.field(name), fmt.Sprintf("%d to %d", low, high), "%d is out of range", *written)
		return
	}
	*into = *written
}

func (r policyReader) span(name string, written *durationpb.Duration, into *time.Duration, low, high time.Duration) {
	if written == nil {
		return
	}
	span := written.AsDuration() // saturates
	if span < low || span > high {
		r.report.sayf(r.at.field(name), fmt.Sprintf("%v to %v", low, high), "%v is out of range", span)
		return
	}
	*into = span
}

func (r policyReader) share(name string, written, into *float64, high float64) {
	if written == nil {
		return
	}
	if !(*written >= 0 && *written <= high) {
		r.report.sayf(r.at.field(name), fmt.Sprintf("0 to %v", high), "%v is out of range", *written)
		return
	}
	*into = *written
}
