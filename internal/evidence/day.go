package evidence

import (
	"maps"
	"slices"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Day is what happened over some time: the calls of a gateway since it started,
// or those of a log.
type Day struct {
	Since, Until time.Time // zero: not known
	Calls        uint64
	// Estimated says that Calls, and those of Tools, were put together from a
	// sample. NoAnswers says that no answered call was seen at all.
	Estimated, NoAnswers bool

	Failures []Failure
	Tools    map[string]Use

	EmptyRuns     uint64   // runs that ended without one result
	EmptyRunNames []string // the first of them, where they are known
	Dropped       uint64   // failures that are counted and not listed
	Skipped       uint64   // lines that are none of a gateway's log
}

// Use is how a tool was used.
type Use struct {
	Calls, Results, Attempts, Coerced uint64
	Waited                            time.Duration
}

// Kind tells failures apart.
type Kind struct {
	Tool, Field, Code, Expected string
	Class, ClassifiedBy         string // as the log writes them
	Status                      uint32 // the upstream's, of a guess
}

// Failure is one kind of failure, counted.
type Failure struct {
	Kind

	Count, Attempts      uint64
	Exhausted            uint64 // of a transient: given up
	ReadBytes            uint64 // of observations that a model reads
	CarriedBytes         uint64 // those bytes × the calls that followed in their runs
	Coercible, Refusable uint64 // see Cure
	Waited               time.Duration
}

// FromReport is the day that a running gateway tells of.
func FromReport(resp *toolgatev1.GetFailureReportResponse) *Day {
	day := &Day{
		Since: resp.GetSince().AsTime(), Calls: resp.GetCalls(), Tools: map[string]Use{},
		EmptyRuns: resp.GetRunsWithoutResult(), Dropped: resp.GetDroppedFailures(),
	}
	for _, row := range resp.GetTools() {
		day.Tools[row.GetTool()] = Use{
			Calls: row.GetCalls(), Results: row.GetResults(), Attempts: row.GetAttempts(), Coerced: row.GetCoerced(), Waited: row.GetWaited().AsDuration(),
		}
	}
	for _, row := range resp.GetFailures() {
		failure := Failure{
			Kind: Kind{
				Tool: row.GetTool(), Field: row.GetField(), Code: row.GetCode(), Expected: row.GetExpected(),
				Class: ClassName(row.GetErrorClass()), ClassifiedBy: ByName(row.GetClassifiedBy()), Status: row.GetUpstreamStatus(),
			},
			Count: row.GetCount(), Attempts: row.GetAttempts(), Exhausted: row.GetExhausted(),
			ReadBytes: row.GetObservationBytes(), CarriedBytes: row.GetCarriedBytes(),
			Coercible: row.GetCurable(), Refusable: row.GetRefusable(), Waited: row.GetWaited().AsDuration(),
		}
		if failure.transient() && row.GetCount() > 0 {
			failure.ReadBytes = row.GetObservationBytes() * row.GetExhausted() / row.GetCount()
		}
		day.Failures = append(day.Failures, failure)
	}
	return day
}

func (k Kind) transient() bool { return k.Class == "transient" }

// guessed reports that nothing but the status speaks for the class.
func (k Kind) guessed() bool { return k.ClassifiedBy == "status" || k.ClassifiedBy == "unspecified" }

// tokens estimates what a failure cost.
func (f *Failure) tokens() uint64 { return (f.ReadBytes + f.CarriedBytes) / bytesPerToken }

// bytesPerToken is what an observation has, of o200k.
const bytesPerToken = 4

func (f *Failure) add(other Failure) {
	f.Count += other.Count
	f.Attempts += other.Attempts
	f.Exhausted += other.Exhausted
	f.ReadBytes += other.ReadBytes
	f.CarriedBytes += other.CarriedBytes
	f.Coercible += other.Coercible
	f.Refusable += other.Refusable
	f.Waited += other.Waited
}

func (d *Day) failed() (n uint64) {
	for _, f := range d.Failures {
		n += f.Count
	}
	return n + d.Dropped
}

// Only keeps what is of one tool. Runs are nobody's.
func (d *Day) Only(tool string) {
	d.Failures = slices.DeleteFunc(d.Failures, func(f Failure) bool { return f.Tool != tool })
	maps.DeleteFunc(d.Tools, func(name string, _ Use) bool { return name != tool })
}
