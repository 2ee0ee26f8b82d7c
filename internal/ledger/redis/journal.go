package redis

import (
	"sync"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	maxMarks = 1 << 14
	maxEnds  = 1 << 17
)

// journal is what this replica wrote, or could not write, that the server must
// not have forgotten when it comes back: unknown outcomes, idempotency keys, the
// ends of calls that have ids. What it holds is bounded; the oldest goes.
type journal struct {
	mu          sync.Mutex // guards the rest
	marks       map[markID]*mark
	order       []markID // of marks, the oldest first; some are gone
	ends        []*ending
	bytes       int // of outcomes that ends stored
	undelivered int // marks and ends that wait to be told
}

type markID struct {
	run   interceptors.RunKey
	key   interceptors.Key
	idemp bool
}

// mark is an unknown outcome or an idempotency key.
type mark struct {
	run            interceptors.RunKey
	key            interceptors.Key
	memory         []string // remember.lua's arguments; nil: it is an idempotency key
	idempotencyKey string
	at             time.Time
	news           news
}

// ending is the end of a call that has an id. Its content is the local keeper's.
type ending struct {
	held
	key   string
	bytes int
	at    time.Time
	news  news // guarded by the journal's lock
}

// news is whether the server knows.
type news int

const (
	newsSent news = iota // it is being told
	newsTold
	newsUntold
)

func (m *mark) id() markID { return markID{m.run, m.key, m.memory == nil} }

// mark notes a mark, in place of an older one of its call.
func (j *journal) mark(m mark, told bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m.at = time.Now()
	id := m.id()
	j.drop(id)
	if j.marks == nil {
		j.marks = map[markID]*mark{}
	}
	j.marks[id] = &m
	j.order = append(j.order, id)
	j.setNews(&m.news, told)
	for len(j.order) > maxMarks || len(j.order) > 0 && j.stale(j.order[0]) {
		j.drop(j.order[0])
		j.order = j.order[1:]
	}
}

// stale reports that a mark is gone or too old to be told again.
func (j *journal) stale(id markID) bool {
	m := j.marks[id]
	return m == nil || m.news == newsTold && time.Since(m.at) > idle
}

func (j *journal) drop(id markID) {
	if m := j.marks[id]; m != nil {
		j.setNews(&m.news, true)
		delete(j.marks, id)
	}
}

func (j *journal) setNews(of *news, told bool) {
	if *of == newsUntold {
		j.undelivered--
	}
	*of = newsTold
	if !told {
		*of = newsUntold
		j.undelivered++
	}
}

// unmark forgets the unknown outcome of a call.
func (j *journal) unmark(run interceptors.RunKey, key interceptors.Key) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.drop(markID{run, key, false})
}

// unkeep forgets the idempotency key of a call.
func (j *journal) unkeep(run interceptors.RunKey, key interceptors.Key) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.drop(markID{run, key, true})
}

// end notes the end of a call, and returns those whose content has to go for it.
func (j *journal) end(e *ending) (hollow []*ending) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ends = append(j.ends, e)
	j.bytes += e.bytes
	for first := j.ends[0]; ; first = j.ends[0] {
		tooMuch := j.bytes > claimBytes
		if !tooMuch && len(j.ends) <= maxEnds && time.Since(first.at) < claimKept || first == e {
			return hollow
		}
		if tooMuch && first.bytes > 0 {
			hollow = append(hollow, first)
		}
		j.bytes -= first.bytes
		j.setNews(&first.news, true)
		j.ends = j.ends[1:]
	}
}

// again reports that the server was told of it once. Then what ended its run
// since stands.
func (j *journal) again(of *news) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return *of == newsTold
}

// told notes whether the server was told of an end.
func (j *journal) told(e *ending, told bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.setNews(&e.news, told)
}

// toldMark notes that the server was told of a mark.
func (j *journal) toldMark(m *mark) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.marks[m.id()] == m {
		j.setNews(&m.news, true)
	}
}

func (j *journal) untold() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.undelivered
}

// toTell returns what the server has to be told: what it never was, and what it
// was told since then.
func (j *journal) toTell(since time.Time) (marks []*mark, ends []*ending) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range j.order {
		if m := j.marks[id]; m != nil && (m.news == newsUntold || m.at.After(since)) {
			marks = append(marks, m)
		}
	}
	for _, e := range j.ends {
		if e.news == newsUntold || e.news == newsTold && e.at.After(since) {
			ends = append(ends, e)
		}
	}
	return marks, ends
}
