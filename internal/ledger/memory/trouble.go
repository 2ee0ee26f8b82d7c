package memory

import (
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

const classes = 4 // of ErrorClass; a class that we do not know counts as none

// trouble is what a run has beyond successes of two tools.
type trouble struct {
	errors   [classes]uint32 // by class
	usages   []usage         // of the third tool on
	counts   []*count        // rejections and offers by tool; few, so they are searched
	memories map[interceptors.Key]*memory
	unknowns int       // among memories
	kept     []keptKey // idempotency keys, the oldest first
}

type keptKey struct {
	call interceptors.Key
	key  string
}

func classIndex(class toolgatev1.ErrorClass) int {
	if class < 0 || class >= classes {
		return 0
	}
	return int(class)
}

func (t *trouble) classCounts() (counts []*toolgatev1.ClassCount) {
	for class, n := range t.errors {
		if n > 0 {
			counts = append(counts, &toolgatev1.ClassCount{ErrorClass: toolgatev1.ErrorClass(class), Count: uint64(n)})
		}
	}
	return counts
}

// describe fills in what the tools of a run look like.
func (t *trouble) describe(named func(tool string) *toolgatev1.RunTool, now instant) {
	for _, c := range t.counts {
		if n := c.standing(now); n > 0 {
			tool := named(c.tool)
			tool.Rejections, tool.RejectionCap = n, c.cap
		}
	}
	for _, m := range t.memories {
		if m.unknown {
			named(m.tool).UnknownOutcomes++
		}
	}
}

// count finds a tool's; nil where it has none.
func (t *trouble) count(tool string) *count {
	for _, c := range t.counts {
		if c.tool == tool {
			return c
		}
	}
	return nil
}

func (t *trouble) counted(tool string) *count {
	c := t.count(tool)
	if c == nil {
		c = &count{tool: tool}
		t.counts = append(t.counts, c)
	}
	return c
}
