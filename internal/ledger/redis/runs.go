package redis

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Tally adds one finished call, and has everything else that followed it
// written. A tally that is lost with the server is lost.
func (l *Ledger) Tally(ctx context.Context, run interceptors.RunKey, tally interceptors.Tally) error {
	if !l.Connected() {
		return l.local.Tally(ctx, run, tally)
	}
	class := "-1"
	if tally.Failed {
		class = classOf(tally.Class)
	}
	s := step{args: []string{"T", tally.Tool, class, strconv.FormatUint(uint64(tally.Attempts), 10)}}
	if err := l.follow(ctx, run, s, atOnce); err != nil {
		return l.local.Tally(ctx, run, tally)
	}
	return nil
}

// Spend counts one call before it is made.
func (l *Ledger) Spend(ctx context.Context, run interceptors.RunKey) (uint64, error) {
	names := l.namesFor(l.viewOf(ctx, run), run)
	spent, err := l.number(ctx, l.scripts.spend, names.keys, []string{millis(idle)})
	if err != nil {
		return l.local.Spend(ctx, run)
	}
	return uint64(max(spent, 0)), nil
}

// Run sums up a run.
func (l *Ledger) Run(ctx context.Context, run interceptors.RunKey) (*toolgatev1.RunSummary, bool, error) {
	names := l.namesOf(run)
	l.flights.settle(ctx, names.tag)
	s, err := l.readNow(ctx, &names)
	if err != nil {
		return l.local.Run(ctx, run)
	}
	if !s.alive {
		return nil, false, nil
	}
	return s.summary(run), true, nil
}

// EndRun sums up a run and forgets it. One that ends while the server is away is
// ended on this replica alone.
func (l *Ledger) EndRun(ctx context.Context, run interceptors.RunKey) (*toolgatev1.RunSummary, bool, error) {
	names := l.namesOf(run)
	l.flights.settle(ctx, names.tag)
	message, err := l.ask(ctx, l.scripts.end, names.keys, []string{millis(idle)})
	if err != nil {
		return l.local.EndRun(ctx, run)
	}
	s, err := readState(message)
	if err != nil {
		return nil, false, err
	}
	l.bucket(&names).Add(1)
	if _, _, err := l.local.EndRun(ctx, run); err != nil || !s.alive {
		return nil, false, err
	}
	return s.summary(run), true, nil
}

func (s *state) summary(run interceptors.RunKey) *toolgatev1.RunSummary {
	started := time.UnixMicro(int64(s.started)) //nolint:gosec // a moment
	summary := &toolgatev1.RunSummary{
		RunId: run.ID, StartedAt: timestamppb.New(started),
		Age:      durationpb.New(time.Duration(max(0, s.now-int64(s.started))) * time.Microsecond), //nolint:gosec // a moment
		Attempts: s.attempts,
	}
	for _, n := range s.of {
		summary.Results += n
	}
	summary.Calls = summary.Results
	for class, n := range s.errors {
		summary.Calls += n
		if n > 0 {
			summary.Errors = append(summary.Errors, &toolgatev1.ClassCount{ErrorClass: toolgatev1.ErrorClass(class), Count: n})
		}
	}
	for name, tool := range s.tools() {
		tool.Tool = name
		summary.Tools = append(summary.Tools, tool)
	}
	slices.SortFunc(summary.Tools, func(a, b *toolgatev1.RunTool) int { return cmp.Compare(a.GetTool(), b.GetTool()) })
	return summary
}

func (s *state) tools() map[string]*toolgatev1.RunTool {
	tools := map[string]*toolgatev1.RunTool{}
	named := func(name string) *toolgatev1.RunTool {
		if tools[name] == nil {
			tools[name] = &toolgatev1.RunTool{}
		}
		return tools[name]
	}
	for name, results := range s.of {
		named(name).Results = results
	}
	for name, c := range s.counts {
		if c.rejections > 0 && !c.aged(s.now) {
			named(name).Rejections = uint32(min(c.rejections, math.MaxUint32)) //nolint:gosec // bounded here
			named(name).RejectionCap = uint32(min(c.cap, math.MaxUint32))      //nolint:gosec // bounded here
		}
	}
	for _, h := range s.heads {
		if h.flag == flagUnknown {
			named(h.tool).UnknownOutcomes++
		}
	}
	return tools
}

func (c *count) aged(now int64) bool { return c.memory > 0 && now-c.last >= c.memory }
