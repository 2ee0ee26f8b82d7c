package spool_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/server/spool"
)

// valve is a writer that the test shuts: stuck, out of space, or short.
type valve struct {
	mu     sync.Mutex // guards the rest
	stuck  chan struct{}
	room   int // bytes that still fit; negative: any number
	text   bytes.Buffer
	writes int
}

var errFull = errors.New("no space left on device")

func (v *valve) Write(p []byte) (int, error) {
	v.mu.Lock()
	v.writes++
	stuck := v.stuck
	v.mu.Unlock()
	if stuck != nil {
		<-stuck
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	n := len(p)
	if v.room >= 0 && n > v.room {
		n = v.room
	}
	if v.room >= 0 {
		v.room -= n
	}
	v.text.Write(p[:n])
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (v *valve) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text.String()
}

func (v *valve) set(change func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change()
}

func line(n int) string { return fmt.Sprintf(`{"n":%d}`+"\n", n) }

func TestLinesArriveWholeAndInTheirOrder(t *testing.T) {
	v := &valve{room: -1}
	s := spool.New(v, 0, nil)
	var all sync.WaitGroup
	for writer := range 8 {
		all.Go(func() {
			for n := range 1000 {
				fmt.Fprintf(s, "%d %d\n", writer, n)
			}
		})
	}
	all.Wait()
	if !s.Close(time.Minute) {
		t.Fatal("it did not end")
	}
	next := map[int]int{}
	for text := range strings.SplitSeq(strings.TrimSuffix(v.String(), "\n"), "\n") {
		var writer, n int
		if _, err := fmt.Sscanf(text, "%d %d", &writer, &n); err != nil || n != next[writer] {
			t.Fatalf("%q, want %d of %d: %v", text, next[writer], writer, err)
		}
		next[writer]++
	}
	if len(next) != 8 || next[3] != 1000 || s.Lost() != 0 {
		t.Errorf("got %v, %d lost", next, s.Lost())
	}
}

func TestAStuckWriterHoldsNobodyUpAndTheLossIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &valve{room: -1, stuck: make(chan struct{})}
		told := make(chan uint64, 10)
		s := spool.New(v, 1000, func(lines uint64) { told <- lines })
		start := time.Now()
		for n := range 1000 {
			if k, err := s.Write([]byte(line(n))); err != nil || k != len(line(n)) {
				t.Fatalf("got %d, %v", k, err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("writing waited %v", took)
		}
		missing := s.Lost()
		if missing < 800 || missing > 950 {
			t.Errorf("%d lines were lost", missing)
		}
		v.set(func() { close(v.stuck); v.stuck = nil })
		synctest.Wait()
		if got := <-told; got != missing {
			t.Errorf("told of %d lost lines, want %d", got, missing)
		}
		_, _ = s.Write([]byte(line(1)))
		if !s.Close(time.Minute) {
			t.Error("it did not end")
		}
		if lines := strings.Count(v.String(), "\n"); uint64(lines) != 1001-missing {
			t.Errorf("%d lines arrived, want %d", lines, 1001-missing)
		}
		if len(told) != 0 {
			t.Error("a loss was told twice")
		}
	})
}

func TestAFullDiskLosesLinesAndSpoilsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &valve{room: len(line(0)) + 3}
		var told uint64
		s := spool.New(v, 0, func(lines uint64) { told += lines })
		for n := range 3 {
			_, _ = s.Write([]byte(line(n)))
			synctest.Wait()
		}
		if s.Lost() != 2 || told != 0 {
			t.Errorf("%d lines were lost, %d told", s.Lost(), told)
		}
		v.set(func() { v.room = -1 })
		_, _ = s.Write([]byte(line(3)))
		synctest.Wait()
		if told != 2 {
			t.Errorf("told of %d lost lines, want 2", told)
		}
		if want := line(0) + `{"n` + "\n" + line(3); v.String() != want {
			t.Errorf("got %q, want %q", v.String(), want)
		}
		s.Close(time.Minute)
	})
}

func TestAStuckWriterDoesNotKeepTheProgramFromEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &valve{room: -1, stuck: make(chan struct{})}
		s := spool.New(v, 0, nil)
		_, _ = s.Write([]byte(line(1)))
		start := time.Now()
		if s.Close(time.Second) || time.Since(start) != time.Second {
			t.Errorf("closed after %v", time.Since(start))
		}
		_, _ = s.Write([]byte(line(2)))
		if s.Lost() != 1 {
			t.Errorf("%d lines were lost", s.Lost())
		}
		close(v.stuck)
	})
}

// What tells of a loss writes to the spool itself, and must not call itself on.
func TestTheWordOfALossIsALineOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &valve{room: -1, stuck: make(chan struct{})}
		var s *spool.Spool
		s = spool.New(v, 20, func(lines uint64) { fmt.Fprintf(s, "lost %d\n", lines) })
		for n := range 10 {
			_, _ = s.Write([]byte(line(n)))
		}
		close(v.stuck)
		synctest.Wait()
		if got := v.String(); strings.Count(got, "lost") != 1 || !strings.HasSuffix(got, "lost 8\n") {
			t.Errorf("got %q", got)
		}
		s.Close(time.Minute)
	})
}

func TestADeviceWithoutSpaceIsNoTrouble(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	s := spool.New(full, 0, nil)
	for n := range 100 {
		_, _ = s.Write([]byte(line(n)))
	}
	if !s.Close(time.Minute) || s.Lost() != 100 {
		t.Errorf("%d lines were lost", s.Lost())
	}
}
