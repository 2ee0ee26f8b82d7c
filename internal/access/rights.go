package access

import (
	"math"
	"slices"
	"strings"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

// Rights are what a caller may do. They never change and are safe for concurrent
// use.
type Rights struct {
	tools, except []pattern
	report        bool
	limits        Limits
}

// Limits bound what one caller asks for.
type Limits struct {
	PerSecond float64 // requests on average; 0: no bound
	Burst     float64 // at once after a pause, at least 1 where PerSecond is set
	InFlight  int64   // at the same time; 0: no bound
}

// Permits reports whether the tool may be used. It is asked for names that don't
// exist, too, and takes as long for them.
func (r *Rights) Permits(tool string) bool {
	excepted := anyFits(r.except, tool)
	return anyFits(r.tools, tool) && !excepted
}

// String is what the file says of tools: `billing_*, but billing_refund`.
func (r *Rights) String() string {
	if len(r.tools) == 0 {
		return "none"
	}
	text := textOf(r.tools)
	if len(r.except) > 0 {
		text += ", but " + textOf(r.except)
	}
	return text
}

func textOf(patterns []pattern) string {
	texts := make([]string, len(patterns))
	for i, p := range patterns {
		texts[i] = p.text
	}
	return strings.Join(slices.Compact(texts), ", ")
}

// MayReport reports whether the failure report may be read.
func (r *Rights) MayReport() bool { return r.report }

// Limits of the caller.
func (r *Rights) Limits() Limits { return r.limits }

// PermitsAll reports whether there is no tool that may not be used.
func (r *Rights) PermitsAll() bool {
	return len(r.except) == 0 && slices.ContainsFunc(r.tools, func(p pattern) bool { return p.text == "*" })
}

// Unused lists the patterns that fit none of these tools, as they are written.
func (r *Rights) Unused(tools []string) (unused []string) {
	for _, p := range slices.Concat(r.tools, r.except) {
		if !slices.ContainsFunc(tools, p.fits) {
			unused = append(unused, p.text)
		}
	}
	return unused
}

// together are the rights of a caller that has several: own go before those of
// roles where there is a number.
func together(own *Rights, roles []*Rights) *Rights {
	all := &Rights{}
	for _, r := range append([]*Rights{own}, roles...) {
		all.tools, all.except = append(all.tools, r.tools...), append(all.except, r.except...)
		all.report = all.report || r.report
		if r != own {
			all.limits.raise(r.limits)
		}
	}
	if own.limits.PerSecond > 0 {
		all.limits.PerSecond, all.limits.Burst = own.limits.PerSecond, own.limits.Burst
	}
	if own.limits.InFlight > 0 {
		all.limits.InFlight = own.limits.InFlight
	}
	return all
}

// raise takes the larger of two bounds. No bound is said by no number, and so it is
// not the largest.
func (l *Limits) raise(other Limits) {
	if other.PerSecond > l.PerSecond {
		l.PerSecond, l.Burst = other.PerSecond, max(l.Burst, other.Burst)
	}
	l.Burst, l.InFlight = max(l.Burst, other.Burst), max(l.InFlight, other.InFlight)
}

const (
	maxLimit     = 1e6
	minPerSecond = 0.001
)

func readRights(at place, written *accessv1.Rights) *Rights {
	r := &Rights{report: written.GetReport()}
	r.tools = readPatterns(at.at("tools"), written.GetTools())
	r.except = readPatterns(at.at("except"), written.GetExcept())
	r.limits = readLimits(at.at("limits"), written.GetLimits())
	return r
}

func readPatterns(at place, written []string) (all []pattern) {
	for i, text := range written {
		if !nameOf(text, "_.-*", maxName) {
			at.at(i).sayf("billing_*, list_invoices, *", "%q is no name of tools", text)
			continue
		}
		all = append(all, patternOf(text))
	}
	return all
}

func readLimits(at place, written *accessv1.Limits) (l Limits) {
	l.PerSecond, l.Burst, l.InFlight = written.GetPerSecond(), float64(written.GetBurst()), int64(written.GetInFlight())
	if rate := l.PerSecond; math.IsNaN(rate) || rate != 0 && (rate < minPerSecond || rate > maxLimit) {
		at.at("per_second").sayf("0.001 to 1000000", "%v requests per second is no bound", rate)
	}
	if l.Burst > maxLimit {
		at.at("burst").sayf("1 to 1000000", "%v is too many", l.Burst)
	}
	if l.InFlight > maxLimit {
		at.at("in_flight").sayf("1 to 1000000", "%v is too many", l.InFlight)
	}
	if l.Burst > 0 && l.PerSecond == 0 {
		at.at("burst").sayf("per_second beside it", "a burst of what is not bounded")
	}
	if l.Burst == 0 {
		l.Burst = math.Ceil(l.PerSecond)
	}
	return l
}
