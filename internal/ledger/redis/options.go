package redis

import "time"

// DefaultWait is how long a call waits for one answer of the server.
const DefaultWait = 50 * time.Millisecond

const (
	defaultPrefix = "toolgate:"
	defaultLease  = 6 * time.Second

	idle       = time.Hour // a run that nobody calls is forgotten
	claimKept  = 10 * time.Minute
	claimEach  = 256 << 10 // bytes of an outcome that is kept
	claimBytes = 64 << 20  // of all that this replica has stored
	stateBytes = 64 << 10  // of memories' contents that a state brings along
	viewFresh  = 100 * time.Millisecond
	afterDelay = 5 * time.Millisecond // what follows a call waits so long for its end

	firstProbe   = 20 * time.Millisecond
	lastProbe    = time.Second
	renewClient  = 10 * time.Second
	restoreWait  = 5 * time.Second // for one batch of what is told anew
	restoreBatch = 128
	tailLost     = 10 * time.Second // what a failover may lose, and is told anew
)

// Option changes a ledger as it is opened.
type Option func(*Ledger)

// WithWait bounds how long a call waits for one answer of the server; after that
// the local keeper answers. Zero or less keeps DefaultWait.
func WithWait(wait time.Duration) Option {
	return func(l *Ledger) {
		if wait > 0 {
			l.wait = wait
		}
	}
}

// WithLease sets how long a call id stays with a replica that was last heard of
// that long ago. Zero or less keeps the default, 6 s. It is renewed
// three times in that time, so that a replica that is slow for as long as two
// renewals keeps its calls.
func WithLease(lease time.Duration) Option {
	return func(l *Ledger) {
		if lease > 0 {
			l.lease = lease
		}
	}
}
