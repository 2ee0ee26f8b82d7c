package evidence

import (
	"cmp"
	"slices"
	"time"
)

// Report is what is to be changed first.
type Report struct {
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`

	Calls       uint64  `json:"calls"`
	Estimated   bool    `json:"calls_estimated,omitempty"` // from a sample of the answered ones
	Failed      uint64  `json:"failed"`
	FailedShare float64 `json:"failed_share"` // of the calls
	Tokens      uint64  `json:"tokens"`       // that models read of failures, estimated

	Failures []Finding `json:"failures"` // what no waiting cures, the ones to mend first on top
	Guesses  []Guess   `json:"guesses"`  // classes that only a status speaks for
	Waits    []Wait    `json:"waits"`    // what time cures, or would have to
	Runs     Runs      `json:"runs"`

	Dropped uint64   `json:"dropped,omitempty"` // failures that are counted and not listed
	Notes   []string `json:"notes"`             // how to read the figures
}

// Finding is one failure that comes back.
type Finding struct {
	Rank         int      `json:"rank"`
	Tool         string   `json:"tool"`
	Field        string   `json:"field,omitempty"`
	Code         string   `json:"code"`
	Class        string   `json:"class"`
	ClassifiedBy []string `json:"classified_by"`
	Expected     string   `json:"expected,omitempty"`

	Calls        uint64  `json:"calls"`         // each a round trip of the model that brought nothing
	Share        float64 `json:"share"`         // of all calls
	ShareOfTool  float64 `json:"share_of_tool"` // of the tool's calls
	Attempts     uint64  `json:"attempts"`      // round trips to the upstream
	Tokens       uint64  `json:"tokens"`
	RefusedAfter uint64  `json:"refused_after,omitempty"` // calls that the cap refused in consequence

	Fix    *Fix   `json:"fix,omitempty"`
	Advice string `json:"advice,omitempty"` // where no line ends it
}

// Guess is a failure whose class is a guess from its status.
type Guess struct {
	Tool   string `json:"tool"`
	Code   string `json:"code"`
	Class  string `json:"class"`
	Status uint32 `json:"status"`
	Calls  uint64 `json:"calls"`
	Fix    *Fix   `json:"fix"`
}

// Wait is what a tool's bad moments cost.
type Wait struct {
	Tool     string  `json:"tool"`
	Code     string  `json:"code"`
	Calls    uint64  `json:"calls"` // that failed for it
	GivenUp  uint64  `json:"given_up"`
	Attempts uint64  `json:"attempts"`
	Waited   float64 `json:"waited_seconds"`
	Tokens   uint64  `json:"tokens"`
	Advice   string  `json:"advice"`
}

// Runs are those that brought nothing back.
type Runs struct {
	WithoutResult uint64   `json:"without_result"`
	First         []string `json:"first,omitempty"`
}

// often is how often a failure must be met to count as one that comes back.
const often = 2

// New judges a day. surfaces are the tools as far as they are known, by name.
func New(day *Day, surfaces map[string]*Surface) *Report {
	r := &Report{
		Since: day.Since, Until: day.Until, Calls: day.Calls, Estimated: day.Estimated, Failed: day.failed(),
		Failures: []Finding{}, Guesses: guessesOf(day, surfaces), Waits: waitsOf(day),
		Runs: Runs{WithoutResult: day.EmptyRuns, First: day.EmptyRunNames}, Dropped: day.Dropped,
	}
	r.FailedShare = share(r.Failed, r.Calls)
	for _, g := range day.groups() {
		r.Failures = append(r.Failures, findingOf(g, day, surfaceOf(surfaces, g.Tool)))
	}
	slices.SortFunc(r.Failures, byUse)
	for i := range r.Failures {
		r.Failures[i].Rank = i + 1
		r.Tokens += r.Failures[i].Tokens
	}
	for _, w := range r.Waits {
		r.Tokens += w.Tokens
	}
	r.Notes = notesOf(day, r)
	return r
}

func surfaceOf(surfaces map[string]*Surface, tool string) *Surface {
	if known := surfaces[tool]; known != nil {
		return known
	}
	return &Surface{Tool: tool}
}

func findingOf(g *group, day *Day, surface *Surface) Finding {
	found := Finding{
		Tool: g.Tool, Field: g.Field, Code: g.Code, Class: g.Class, ClassifiedBy: g.by, Expected: g.Expected,
		Calls: g.Count, Share: share(g.Count, day.Calls), ShareOfTool: share(g.Count, day.Tools[g.Tool].Calls),
		Attempts: g.Attempts, Tokens: g.tokens(), RefusedAfter: g.after, Fix: fixOf(g, surface),
	}
	if found.Fix == nil {
		found.Advice = adviceFor(g)
	}
	return found
}

// byUse sorts what a line would end, and what comes back, before what is as it
// is; within that by what it costs.
func byUse(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(b.worth(), a.worth()), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(b.Calls, a.Calls),
		cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Code, b.Code),
	)
}

// worth is how much a change would do: 2 ends it, 1 tells what it is.
func (f *Finding) worth() int {
	switch {
	case f.Calls < often || f.Fix == nil:
		return 0
	case f.Fix.Ends == EndsByRule:
		return 1
	}
	return 2
}

func guessesOf(day *Day, surfaces map[string]*Surface) []Guess {
	guesses := []Guess{}
	for _, f := range day.Failures {
		if !f.guessed() {
			continue
		}
		g := &group{Failure: f}
		guesses = append(guesses, Guess{
			Tool: f.Tool, Code: f.Code, Class: f.Class, Status: f.Status, Calls: f.Count, Fix: fixOf(g, surfaceOf(surfaces, f.Tool)),
		})
	}
	slices.SortFunc(guesses, func(a, b Guess) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Status, b.Status))
	})
	return guesses
}

func waitsOf(day *Day) []Wait {
	type key struct{ tool, code string }
	joined := map[key]*Failure{}
	for _, f := range day.Failures {
		if !f.transient() {
			continue
		}
		k := key{f.Tool, f.Code}
		if joined[k] == nil {
			joined[k] = &Failure{Kind: f.Kind}
		}
		joined[k].add(f)
	}
	waits := make([]Wait, 0, len(joined))
	for _, f := range joined {
		waits = append(waits, Wait{
			Tool: f.Tool, Code: f.Code, Calls: f.Count, GivenUp: f.Exhausted, Attempts: f.Attempts,
			Waited: f.Waited.Seconds(), Tokens: f.tokens(), Advice: adviceForWait(f),
		})
	}
	slices.SortFunc(waits, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(b.GivenUp, a.GivenUp), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Code, b.Code))
	})
	return waits
}

func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
