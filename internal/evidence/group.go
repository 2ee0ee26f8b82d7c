package evidence

import (
	"cmp"
	"maps"
	"slices"
)

// group is one failure as a person sees it: whoever found it, and whatever the
// cap or the memory made of it.
type group struct {
	Failure // of all of it; Kind is that of the most frequent

	by    []string // who decided, the most frequent first
	bad   uint64   // calls that were invalid_request
	sure  uint64   // calls whose class somebody knew
	found bool     // by the gateway itself: the schema says so already
	after uint64   // calls that the cap refused in consequence
}

// rejectsArguments reports that the arguments were wrong. A rejection that ends
// at the cap comes back terminal, with the same code and field.
func (g *group) rejectsArguments() bool { return g.bad > 0 }

func (g *group) onlyGuessed() bool { return g.sure == 0 }

// invalidArguments and their kin are the gateway's own codes that are told apart.
const (
	invalidArguments = "invalid_arguments"
	rejectionCap     = "rejection_cap"
)

// groups joins the failures that time does not cure by tool, field and code. What
// the cap refused is counted to what the tool rejected most.
func (d *Day) groups() []*group {
	type key struct{ tool, field, code string }
	joined := map[key]*group{}
	capped := map[string]Failure{}
	votes := map[key]map[Kind]uint64{}
	for _, f := range d.Failures {
		if f.transient() {
			continue
		}
		if f.Code == rejectionCap {
			all := capped[f.Tool]
			all.add(f)
			capped[f.Tool] = all
			continue
		}
		k := key{f.Tool, f.Field, f.Code}
		if joined[k] == nil {
			joined[k], votes[k] = &group{}, map[Kind]uint64{}
		}
		joined[k].take(f)
		votes[k][f.Kind] += f.Count
	}
	all := make([]*group, 0, len(joined))
	for k, g := range joined {
		g.name(votes[k])
		all = append(all, g)
	}
	return blame(all, capped)
}

func (g *group) take(f Failure) {
	g.add(f)
	if f.Class == "invalid_request" {
		g.bad += f.Count
	}
	if !f.guessed() {
		g.sure += f.Count
	}
}

// name picks what stands for the group: what somebody said, of that the most
// frequent. An answer from memory repeats a verdict; it is none of its own.
func (g *group) name(votes map[Kind]uint64) {
	kinds := slices.SortedFunc(maps.Keys(votes), func(a, b Kind) int {
		return cmp.Or(
			cmp.Compare(fromMemory(a), fromMemory(b)), cmp.Compare(votes[b], votes[a]), cmp.Compare(b.Expected, a.Expected), cmp.Compare(a.ClassifiedBy, b.ClassifiedBy),
			cmp.Compare(a.Class, b.Class), cmp.Compare(a.Status, b.Status),
		)
	})
	g.Kind = kinds[0]
	for _, kind := range kinds {
		if g.Expected == "" {
			g.Expected = kind.Expected
		}
		if kind.Class == "invalid_request" {
			g.Class = kind.Class
		}
		if !slices.Contains(g.by, kind.ClassifiedBy) {
			g.by = append(g.by, kind.ClassifiedBy)
		}
	}
	g.found = g.ClassifiedBy == "gateway" && g.Code == invalidArguments
}

// fromMemory sorts what the gateway said again behind what was said first.
func fromMemory(k Kind) int {
	if k.ClassifiedBy == "gateway" && k.Code != invalidArguments {
		return 1
	}
	return 0
}

// blame counts what the cap refused to the costliest failure of the tool; where
// there is none it stands for itself.
func blame(all []*group, capped map[string]Failure) []*group {
	for _, tool := range slices.Sorted(maps.Keys(capped)) {
		refused := capped[tool]
		var worst *group
		for _, g := range all {
			if g.Tool == tool && (worst == nil || g.Count > worst.Count || g.Count == worst.Count && g.Field+g.Code < worst.Field+worst.Code) {
				worst = g
			}
		}
		if worst == nil {
			worst = &group{by: []string{"gateway"}, sure: refused.Count}
			worst.Failure = refused
			worst.Kind = Kind{Tool: tool, Code: rejectionCap, Class: "terminal", ClassifiedBy: "gateway"}
			all = append(all, worst)
			continue
		}
		worst.after = refused.Count
		worst.ReadBytes += refused.ReadBytes
		worst.CarriedBytes += refused.CarriedBytes
	}
	return all
}
