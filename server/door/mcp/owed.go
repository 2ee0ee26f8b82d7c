package mcp

import "sync"

// owed counts answers that are still owed. Its zero value owes none; it is safe for
// concurrent use, also while somebody waits.
type owed struct {
	mu    sync.Mutex // guards the rest
	count int
	waits []chan struct{}
}

func (o *owed) add(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count += n; o.count > 0 {
		return
	}
	for _, wait := range o.waits {
		close(wait)
	}
	o.waits = nil
}

// settled is closed once nothing is owed.
func (o *owed) settled() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	wait := make(chan struct{})
	if o.count <= 0 {
		close(wait)
	} else {
		o.waits = append(o.waits, wait)
	}
	return wait
}
