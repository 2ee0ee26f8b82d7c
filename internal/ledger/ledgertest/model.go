package ledgertest

import (
	"maps"
	"math/rand/v2"

	"toolgate.dev/toolgate/interceptors"
)

// model counts rejections as the design says it, with counts and epochs spelt
// out: a call holds what stood for every tool when it arrived, and raises the
// count only if both still stand.
type model struct {
	stands   map[string]mark
	unblocks map[string]map[string]bool // tools that a tool's errors named
	success  map[string]int
}

type mark struct{ count, epoch uint32 }

// arrival is what a call in flight holds.
type arrival struct {
	at      interceptors.Snapshot
	stood   map[string]mark
	success map[string]int
}

func (m *model) arrive(at interceptors.Snapshot) arrival {
	return arrival{at: at, stood: maps.Clone(m.stands), success: maps.Clone(m.success)}
}

func (m *model) reject(tool, unblock string, a arrival) uint32 {
	stands := m.stands[tool]
	cured := unblock != "" && m.success[unblock] != a.success[unblock]
	if stands == a.stood[tool] && !cured {
		stands.count++
	}
	m.stands[tool] = stands
	if unblock != "" {
		if m.unblocks[tool] == nil {
			m.unblocks[tool] = map[string]bool{}
		}
		m.unblocks[tool][unblock] = true
	}
	return stands.count
}

func (m *model) forgive(tool string) {
	m.success[tool]++
	m.restart(tool)
	for other, named := range m.unblocks {
		if named[tool] {
			m.restart(other)
		}
	}
}

func (m *model) restart(tool string) {
	m.stands[tool] = mark{epoch: m.stands[tool].epoch + 1}
	delete(m.unblocks, tool)
}

func (m *model) capped(tool string, a arrival) string {
	if m.stands[tool] == a.stood[tool] && m.stands[tool].count >= 3 {
		return closed
	}
	return open
}

// agreesWithModel plays random calls that overlap in every way.
func agreesWithModel(t *book) {
	random := rand.New(rand.NewPCG(2, 7))
	tools := []string{"pay", "book", "list"}
	some := func() string { return tools[random.IntN(len(tools))] }
	m := &model{stands: map[string]mark{}, unblocks: map[string]map[string]bool{}, success: map[string]int{}}
	flying := []arrival{m.arrive(t.snapshot())}
	for range 3000 {
		tool, a := some(), flying[random.IntN(len(flying))]
		switch random.IntN(12) {
		case 0:
			t.forgive(tool)
			m.forgive(tool)
		case 1:
			t.must(t.ledger.Pardon(t.Context(), run, tool))
			m.restart(tool)
		case 2, 3, 4, 5:
			if len(flying) > 6 {
				flying = flying[1:]
			}
			flying = append(flying, m.arrive(t.snapshot()))
		case 6, 7:
			t.wantStandingOf(t.query(tool, a.at), m.stands[tool].count, m.capped(tool, a))
		default:
			unblock := ""
			if random.IntN(3) == 0 {
				unblock = some()
			}
			got := t.rejectWith(interceptors.Rejection{StandingQuery: t.query(tool, a.at), Unblock: unblock})
			t.wantCount(got, m.reject(tool, unblock, a))
		}
		if t.Failed() {
			return
		}
	}
}
