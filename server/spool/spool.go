package spool

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	defaultBytes = 4 << 20  // some ten thousand lines
	keptBytes    = 64 << 10 // of a buffer that a burst has blown up
)

// Why lines were lost, as the metric labels it.
const (
	noRoom  = "no_room" // the writer behind is too slow, or stuck
	refused = "refused" // it returned an error
)

// Spool passes lines on to a writer. It is safe for concurrent use.
type Spool struct {
	to   io.Writer
	most int
	tell func(lines uint64)
	lost *prometheus.CounterVec
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // guards the rest
	more    *sync.Cond // waiting or closed changed
	waiting []byte
	passing int    // bytes that the goroutine holds
	all     uint64 // lines that were lost
	untold  uint64 // of them, those that were not told of
	closed  bool
}

// New makes a spool before a writer, which it alone may write to from now on. At
// most so many bytes wait; 0 or less means 4 MiB. Where lines were lost, tell is
// called behind the next that were taken, with their number, and may write to the
// spool itself; nil: nobody is told.
func New(to io.Writer, most int, tell func(lines uint64)) *Spool {
	if most <= 0 {
		most = defaultBytes
	}
	if tell == nil {
		tell = func(uint64) {}
	}
	s := &Spool{to: to, most: most, tell: tell, done: make(chan struct{}), lost: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "toolgate_log_lines_lost_total",
		Help: "Lines of the log that nobody can read: no_room, its reader is too slow or stuck; refused, it can't be written.",
	}, []string{"why"})}
	for _, why := range []string{noRoom, refused} {
		s.lost.WithLabelValues(why)
	}
	s.more = sync.NewCond(&s.mu)
	go s.pass()
	return s
}

// Collector counts the lines that were lost.
func (s *Spool) Collector() prometheus.Collector { return s.lost }

// Lost is how many lines were lost so far.
func (s *Spool) Lost() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// Write takes whole lines. It never waits and never fails: what there is no room
// for is counted.
func (s *Spool) Write(lines []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.waiting)+s.passing+len(lines) > s.most {
		s.lose(noRoom, lines)
		return len(lines), nil
	}
	s.waiting = append(s.waiting, lines...)
	s.more.Signal()
	return len(lines), nil
}

// Close passes on what waits, for so long at most, and reports whether all of it
// was. What is written later is lost. A writer that is stuck keeps its goroutine.
func (s *Spool) Close(patience time.Duration) bool {
	s.mu.Lock()
	s.closed = true
	s.more.Signal()
	s.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.done:
		return true
	case <-timer.C:
		return false
	}
}

// lose counts lines; the caller holds mu.
func (s *Spool) lose(why string, text []byte) {
	lines := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	s.lost.WithLabelValues(why).Add(float64(lines))
	s.all += uint64(lines)    //nolint:gosec // a count
	s.untold += uint64(lines) //nolint:gosec // a count
}

// pass hands on what waits until the spool is closed and empty.
func (s *Spool) pass() {
	defer close(s.done)
	var spare []byte
	amid := false // the writer took part of a line last
	for {
		batch, open := s.next(spare)
		if !open {
			return
		}
		n, err := s.hand(batch, amid)
		if n > 0 {
			amid = batch[n-1] != '\n'
		}
		if untold := s.passed(batch[n:], err); untold > 0 {
			s.tell(untold)
		}
		if spare = batch[:0]; cap(spare) > keptBytes {
			spare = nil
		}
	}
}

// hand writes a batch and returns how much of it was taken. What stands there of
// a line that was cut off must not spoil the next one.
func (s *Spool) hand(batch []byte, amid bool) (n int, err error) {
	text := batch
	if amid {
		text = append([]byte{'\n'}, batch...)
	}
	n, err = s.to.Write(text)
	if n = min(max(n, 0), len(text)); n < len(text) && err == nil {
		err = io.ErrShortWrite
	}
	return max(n-(len(text)-len(batch)), 0), err
}

// next waits for lines.
func (s *Spool) next(spare []byte) (batch []byte, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) == 0 {
		if s.closed {
			return nil, false
		}
		s.more.Wait()
	}
	batch, s.waiting, s.passing = s.waiting, spare, len(s.waiting)
	return batch, true
}

// passed accounts for what was handed on, and returns how many lost lines to tell
// of: only in a log that takes lines.
func (s *Spool) passed(rest []byte, err error) (untold uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passing = 0
	if err != nil {
		s.lose(refused, rest)
		return 0
	}
	if s.closed { // the word would come too late
		return 0
	}
	untold, s.untold = s.untold, 0
	return untold
}
