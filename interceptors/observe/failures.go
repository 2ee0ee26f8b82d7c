package observe

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/evidence"
)

const (
	maxFailureKinds   = 1000
	defaultReportRows = 100
)

type kind struct {
	tool, field, code, expected string
	class                       toolgatev1.ErrorClass
	by                          toolgatev1.ClassifiedBy
	status                      uint32 // of a guess, else 0
}

// tally is guarded by its failures' lock.
type tally struct {
	count, attempts, bytes, carried, exhausted, curable, refusable uint64
	waited                                                         time.Duration
}

// failures counts what failed since the start, at most maxFailureKinds kinds.
// When full, the rarest kind makes room and its count is declared as dropped.
type failures struct {
	since       time.Time
	transcripts *transcripts
	empty       atomic.Uint64 // runs without one result

	mu      sync.Mutex // guards the rest
	kinds   map[kind]*tally
	total   uint64
	dropped map[string]uint64 // by tool
}

func newFailures(since time.Time) *failures {
	return &failures{since: since, transcripts: newTranscripts(), kinds: map[kind]*tally{}, dropped: map[string]uint64{}}
}

// count counts one failed call and returns its turn.
func (f *failures) count(run interceptors.RunKey, e *toolgatev1.ToolError, told *evidence.Call) (turn uint64) {
	k := kind{
		tool: told.Tool, field: told.Field, code: e.GetCode(), expected: told.Expected, class: e.GetErrorClass(), by: e.GetClassifiedBy(),
	}
	if guessed(k.by) {
		k.status = e.GetUpstreamStatus()
	}
	read := uint64(0)
	if told.Read() {
		read = told.ObservationBytes
	}
	turn, settled := f.transcripts.failed(run, f.add(k, told), read)
	f.settle(settled)
	return turn
}

func (f *failures) add(k kind, told *evidence.Call) *tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total++
	t := f.kinds[k]
	if t == nil {
		f.makeRoom()
		t = &tally{}
		f.kinds[k] = t
	}
	t.count++
	t.attempts += told.Attempts
	t.bytes += told.ObservationBytes
	t.waited += told.Waited
	if told.Exhausted {
		t.exhausted++
	}
	switch told.Cure {
	case evidence.CureCoerced:
		t.curable++
	case evidence.CureRefused:
		t.refusable++
	case evidence.CureUnknown, evidence.CureNone:
	}
	return t
}

func guessed(by toolgatev1.ClassifiedBy) bool {
	return by == toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS || by == toolgatev1.ClassifiedBy_CLASSIFIED_BY_UNSPECIFIED
}

// ended settles what a run owes and counts one that brought nothing back. It
// returns how many turns the run had since its first failure.
func (f *failures) ended(run interceptors.RunKey, empty bool) (turns uint64) {
	if empty {
		f.empty.Add(1)
	}
	known := f.transcripts.ended(run)
	f.settle(known)
	if known == nil {
		return 0
	}
	return known.turns
}

func (f *failures) settle(run *transcript) {
	if run == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range run.debts {
		d.of.carried += d.carried(run.turns)
	}
}

func (f *failures) makeRoom() {
	if len(f.kinds) < maxFailureKinds {
		return
	}
	var rarest kind
	least := ^uint64(0)
	for k, t := range f.kinds {
		if t.count < least {
			rarest, least = k, t.count
		}
	}
	f.dropped[rarest.tool] += least
	delete(f.kinds, rarest)
}

// report counts the tools that are visible; nil: all are.
func (f *failures) report(req *toolgatev1.GetFailureReportRequest, visible func(tool string) bool) *toolgatev1.GetFailureReportResponse {
	limit := int(req.GetLimit())
	if limit == 0 {
		limit = defaultReportRows
	}
	limit = min(limit, maxFailureKinds)
	open := f.transcripts.open()
	asked := func(tool string) bool { return req.GetTool() == "" || req.GetTool() == tool }
	seen := func(tool string) bool { return visible == nil || visible(tool) }
	f.mu.Lock()
	rows := f.rows(open, func(tool string) bool { return asked(tool) && seen(tool) })
	resp := &toolgatev1.GetFailureReportResponse{FailuresTotal: f.total, Since: timestamppb.New(f.since), RunsWithoutResult: f.empty.Load()}
	if visible != nil {
		resp.FailuresTotal, resp.RunsWithoutResult = f.totalOf(visible), 0
	}
	for tool, n := range f.dropped {
		if asked(tool) && seen(tool) {
			resp.DroppedFailures += n
		}
	}
	f.mu.Unlock()

	slices.SortFunc(rows, func(a, b *toolgatev1.FailureCount) int {
		return cmp.Or(cmp.Compare(b.GetCount(), a.GetCount()), cmp.Compare(a.GetTool(), b.GetTool()),
			cmp.Compare(a.GetCode(), b.GetCode()), cmp.Compare(a.GetField(), b.GetField()), cmp.Compare(a.GetExpected(), b.GetExpected()),
			cmp.Compare(a.GetErrorClass(), b.GetErrorClass()), cmp.Compare(a.GetClassifiedBy(), b.GetClassifiedBy()),
			cmp.Compare(a.GetUpstreamStatus(), b.GetUpstreamStatus()))
	})
	for _, row := range rows[min(limit, len(rows)):] {
		resp.DroppedFailures += row.GetCount()
	}
	resp.Failures = rows[:min(limit, len(rows))]
	return resp
}

// totalOf counts all failures of some tools. It is called with the lock held.
func (f *failures) totalOf(visible func(tool string) bool) (total uint64) {
	for k, t := range f.kinds {
		if visible(k.tool) {
			total += t.count
		}
	}
	for tool, n := range f.dropped {
		if visible(tool) {
			total += n
		}
	}
	return total
}

// rows is called with the lock held.
func (f *failures) rows(open map[*tally]uint64, listed func(tool string) bool) []*toolgatev1.FailureCount {
	var rows []*toolgatev1.FailureCount
	for k, t := range f.kinds {
		if !listed(k.tool) {
			continue
		}
		rows = append(rows, &toolgatev1.FailureCount{
			Tool: k.tool, Field: k.field, Code: k.code, ErrorClass: k.class, ClassifiedBy: k.by,
			Count: t.count, Attempts: t.attempts, ObservationBytes: t.bytes,
			Expected: k.expected, CarriedBytes: t.carried + open[t], Exhausted: t.exhausted, Waited: durationOf(t.waited),
			Curable: t.curable, Refusable: t.refusable, UpstreamStatus: k.status,
		})
	}
	return rows
}

// durationOf is nil where there was none.
func durationOf(d time.Duration) *durationpb.Duration {
	if d == 0 {
		return nil
	}
	return durationpb.New(d)
}
