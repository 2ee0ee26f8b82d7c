package memory

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// maxNames bounds the table of tool names. Names come from catalogues, which
	// are far smaller; past it tools share one number, and with it the counts of
	// results and the moments of success.
	maxNames = 1 << 14

	noTool    = 0
	otherTool = 1
)

// names gives tools small numbers, so that a run's record holds no pointer.
// Reading takes no lock.
type names struct {
	mu    sync.Mutex // held to add
	table atomic.Pointer[nameTable]
}

type nameTable struct {
	numbers map[string]uint32
	names   []string
}

func (n *names) reset() {
	n.table.Store(&nameTable{numbers: map[string]uint32{}, names: []string{"", "other"}})
}

// find returns the number of a name, noTool where it has none.
func (n *names) find(name string) uint32 {
	table := n.table.Load()
	if number := table.numbers[name]; number != noTool || len(table.names) < maxNames {
		return number
	}
	return otherTool
}

func (n *names) name(number uint32) string { return n.table.Load().names[number] }

// number returns the name's number and gives it one if need be.
func (n *names) number(name string) uint32 {
	if number := n.find(name); number != noTool {
		return number
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if number := n.find(name); number != noTool {
		return number // another was faster
	}
	old := n.table.Load()
	number := uint32(len(old.names))
	grown := &nameTable{numbers: maps.Clone(old.numbers), names: append(slices.Clip(old.names), name)}
	grown.numbers[name] = number
	n.table.Store(grown)
	return number
}
