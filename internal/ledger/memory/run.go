package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// run is all that is kept of a run that only succeeds. It holds no pointer, so
// that the collector passes a table of a million by.
type run struct {
	born    uint64 // sequence of its first act
	changed uint64 // sequence of the last success of a tool that is no read
	started instant
	seen    instant

	calls, results, attempts, spent uint32 // they stay at their top

	tools [2]usage // the first two; more stand in trouble
}

// usage is what a run had of one tool.
type usage struct {
	tool    uint32 // number of its name; noTool: free
	results uint32
	success uint64 // sequence of its last success; 0: none
}

func saturate(a uint32, b uint64) uint32 {
	return uint32(min(uint64(a)+b, math.MaxUint32))
}

// usage finds or makes the tool's. It points into the life or its trouble.
func (f *life) usage(number uint32) *usage {
	for i := range f.tools {
		if u := &f.tools[i]; u.tool == number || u.tool == noTool {
			u.tool = number
			return u
		}
	}
	t := f.troubled()
	for i := range t.usages {
		if t.usages[i].tool == number {
			return &t.usages[i]
		}
	}
	t.usages = append(t.usages, usage{tool: number})
	return &t.usages[len(t.usages)-1]
}

// usages lists what the run had of its tools.
func (f *life) usages() []usage {
	all := slices.Clone(f.tools[:])
	if t := f.trouble(); t != nil {
		all = append(all, t.usages...)
	}
	return slices.DeleteFunc(all, func(u usage) bool { return u.tool == noTool })
}

// succeeded returns the sequence of a tool's last success; 0: none.
func (f *life) succeeded(tool string) uint64 {
	number := f.shard.ledger.tools.find(tool)
	if number == noTool {
		return 0
	}
	for _, u := range f.tools {
		if u.tool == number {
			return u.success
		}
	}
	if t := f.trouble(); t != nil {
		for _, u := range t.usages {
			if u.tool == number {
				return u.success
			}
		}
	}
	return 0
}

// Snapshot marks the arrival of an rpc and begins a run with its first.
func (l *Ledger) Snapshot(_ context.Context, run interceptors.RunKey) (interceptors.Snapshot, error) {
	s, life := l.enterOrBegin(run)
	defer s.leave()
	life.touch()
	if life.now-s.swept >= l.limits.idle/sweepsPerIdleTime {
		s.sweep(life.now)
	}
	return interceptors.Snapshot{Sequence: s.sequence}, nil
}

// Tally adds one finished call.
func (l *Ledger) Tally(_ context.Context, run interceptors.RunKey, tally interceptors.Tally) error {
	s, life := l.enter(run)
	defer s.leave()
	if !life.alive {
		return nil
	}
	life.calls = saturate(life.calls, 1)
	life.attempts = saturate(life.attempts, uint64(tally.Attempts))
	switch {
	case tally.Failed:
		t := life.troubled()
		class := classIndex(tally.Class)
		t.errors[class] = saturate(t.errors[class], 1)
	default:
		life.results = saturate(life.results, 1)
		u := life.usage(l.tools.number(tally.Tool))
		u.results = saturate(u.results, 1)
		delete(s.unproven, life.id)
	}
	life.touch()
	return nil
}

// Spend counts one call before it is made.
func (l *Ledger) Spend(_ context.Context, run interceptors.RunKey) (uint64, error) {
	s, life := l.enterOrBegin(run)
	defer s.leave()
	life.spent = saturate(life.spent, 1)
	life.save()
	return uint64(life.spent), nil
}

// Run sums up a run.
func (l *Ledger) Run(_ context.Context, run interceptors.RunKey) (*toolgatev1.RunSummary, bool, error) {
	s, life := l.enter(run)
	defer s.leave()
	if !life.alive {
		return nil, false, nil
	}
	return life.summary(run), true, nil
}

// EndRun sums up a run and forgets it.
func (l *Ledger) EndRun(_ context.Context, run interceptors.RunKey) (*toolgatev1.RunSummary, bool, error) {
	s, life := l.enter(run)
	defer s.leave()
	if !life.alive {
		return nil, false, nil
	}
	summary := life.summary(run)
	s.forget(life, false)
	return summary, true, nil
}

func (f *life) summary(key interceptors.RunKey) *toolgatev1.RunSummary {
	l := f.shard.ledger
	summary := &toolgatev1.RunSummary{
		RunId: key.ID, StartedAt: timestamppb.New(l.start.Add(f.started)), Age: durationpb.New(f.now - f.started),
		Calls: uint64(f.calls), Results: uint64(f.results), Attempts: uint64(f.attempts),
	}
	tools := map[string]*toolgatev1.RunTool{}
	named := func(name string) *toolgatev1.RunTool {
		if tools[name] == nil {
			tools[name] = &toolgatev1.RunTool{Tool: name}
		}
		return tools[name]
	}
	for _, u := range f.usages() {
		named(l.tools.name(u.tool)).Results += uint64(u.results)
	}
	if t := f.trouble(); t != nil {
		summary.Errors = t.classCounts()
		t.describe(named, f.now)
	}
	for _, tool := range tools {
		summary.Tools = append(summary.Tools, tool)
	}
	slices.SortFunc(summary.Tools, func(a, b *toolgatev1.RunTool) int { return cmp.Compare(a.GetTool(), b.GetTool()) })
	return summary
}

// until turns a moment of the caller's into one of the ledger's.
func (l *Ledger) until(t time.Time) instant { return t.Sub(l.start) }
