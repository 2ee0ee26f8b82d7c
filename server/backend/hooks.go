package backend

import (
	"sync/atomic"
	"time"
)

// Hooks are told what an operator has to mend. The zero value tells nobody. It is
// safe for concurrent use, and so must be whatever is told.
type Hooks struct {
	stale   atomic.Pointer[func(upstream string, err error)]
	trouble atomic.Pointer[func(upstream, problem string)]
}

// OnStaleFiles has it reported to hook when certificates or authorities have
// changed and can't be read, once per change: the former stay in force. One set
// later replaces one set before.
func (h *Hooks) OnStaleFiles(hook func(upstream string, err error)) { h.stale.Store(&hook) }

// ReportStale tells of stale files.
func (h *Hooks) ReportStale(upstream string, err error) {
	if hook := h.stale.Load(); hook != nil {
		(*hook)(upstream, err)
	}
}

// OnTrouble has it reported to hook when an upstream can't be asked for a reason that
// an operator has to mend: its host resolves to an address that is not allowed, or its
// token endpoint gives no token. It is told each time, so that it must be fast. One set
// later replaces one set before.
func (h *Hooks) OnTrouble(hook func(upstream, problem string)) { h.trouble.Store(&hook) }

// Report tells of a trouble.
func (h *Hooks) Report(upstream, problem string) {
	if hook := h.trouble.Load(); hook != nil {
		(*hook)(upstream, problem)
	}
}

// Files is what an upstream's files of certificates are worth.
type Files struct {
	Upstream string
	// Expires is the end of the certificate that is shown to it; zero: none is.
	Expires time.Time
	// Stale files have changed and can't be read.
	Stale bool
}
