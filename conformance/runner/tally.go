package runner

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// tally counts by SDK. It is safe for concurrent use.
type tally struct {
	title string          // of the line that sums up
	known map[string]bool // `name: vector`
	out   io.Writer

	mu     sync.Mutex // guards the rest
	names  []string
	failed map[string]map[string]bool // by name, by vector
	broken bool                       // something did not go as the list of known failures says
}

func (t *tally) begin(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
		t.failed[name] = map[string]bool{}
	}
}

func (t *tally) vector(name, vector string, faults []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(faults) == 0 {
		return
	}
	t.failed[name][vector] = true
	note := ""
	if t.known[name+": "+vector] {
		note = " (known)"
	} else {
		t.broken = true
	}
	fmt.Fprintf(t.out, "%s: %s%s\n", name, vector, note)
	for _, fault := range faults {
		fmt.Fprintln(t.out, "    "+strings.ReplaceAll(fault, "\n", "\n    "))
	}
}

// end writes the line that scripts read.
func (t *tally) end(vectors int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for entry := range t.known {
		name, vector, _ := strings.Cut(entry, ": ")
		if failed, played := t.failed[name]; played && !failed[vector] {
			t.broken = true
			fmt.Fprintf(t.out, "%s is a known failure, and passes: take it from the list\n", entry)
		}
	}
	var parts []string
	for _, name := range t.names {
		parts = append(parts, fmt.Sprintf("%s %d/%d", name, vectors-len(t.failed[name]), vectors))
	}
	fmt.Fprintln(t.out, t.title+": "+strings.Join(parts, " "))
	if t.broken || vectors == 0 {
		return ErrFailed
	}
	return nil
}
