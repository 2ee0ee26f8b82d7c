package observe

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

const (
	maxFailureKinds   = 1000
	defaultReportRows = 100
)

type kind struct {
	tool, field, code string
	class             toolgatev1.ErrorClass
	by                toolgatev1.ClassifiedBy
}

type tally struct{ count, attempts, bytes uint64 }

// failures counts what failed since the start, at most maxFailureKinds kinds.
// When full, the rarest kind makes room and its count is declared as dropped.
type failures struct {
	since time.Time
	calls atomic.Uint64

	mu      sync.Mutex // guards the rest
	kinds   map[kind]*tally
	total   uint64
	dropped map[string]uint64 // by tool
}

func newFailures(since time.Time) *failures {
	return &failures{since: since, kinds: map[kind]*tally{}, dropped: map[string]uint64{}}
}

func (f *failures) count(tool string, e *toolgatev1.ToolError) {
	f.calls.Add(1)
	if e == nil {
		return
	}
	k := kind{tool: tool, field: firstField(e), code: e.GetCode(), class: e.GetErrorClass(), by: e.GetClassifiedBy()}
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
	t.attempts += uint64(e.GetAttempts())
	t.bytes += uint64(len(e.GetObservation()))
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

func (f *failures) report(req *toolgatev1.GetFailureReportRequest) *toolgatev1.GetFailureReportResponse {
	limit := int(req.GetLimit())
	if limit == 0 {
		limit = defaultReportRows
	}
	limit = min(limit, maxFailureKinds)
	f.mu.Lock()
	rows := f.rows(req.GetTool())
	resp := &toolgatev1.GetFailureReportResponse{
		Calls: f.calls.Load(), FailuresTotal: f.total, Since: timestamppb.New(f.since),
	}
	for tool, n := range f.dropped {
		if req.GetTool() == "" || req.GetTool() == tool {
			resp.DroppedFailures += n
		}
	}
	f.mu.Unlock()

	slices.SortFunc(rows, func(a, b *toolgatev1.FailureCount) int {
		return cmp.Or(cmp.Compare(b.GetCount(), a.GetCount()), cmp.Compare(a.GetTool(), b.GetTool()),
			cmp.Compare(a.GetCode(), b.GetCode()), cmp.Compare(a.GetField(), b.GetField()))
	})
	for _, row := range rows[min(limit, len(rows)):] {
		resp.DroppedFailures += row.GetCount()
	}
	resp.Failures = rows[:min(limit, len(rows))]
	return resp
}

// rows is called with the lock held.
func (f *failures) rows(tool string) []*toolgatev1.FailureCount {
	var rows []*toolgatev1.FailureCount
	for k, t := range f.kinds {
		if tool != "" && tool != k.tool {
			continue
		}
		rows = append(rows, &toolgatev1.FailureCount{
			Tool: k.tool, Field: k.field, Code: k.code, ErrorClass: k.class, ClassifiedBy: k.by,
			Count: t.count, Attempts: t.attempts, ObservationBytes: t.bytes,
		})
	}
	return rows
}
