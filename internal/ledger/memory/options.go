package memory

import (
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

type limits struct {
	idle        time.Duration
	runs        int64
	claimKept   time.Duration
	claimEach   int
	claimBytes  int64
	claims      int64
	memoryBytes int64
}

func defaultLimits() limits {
	return limits{
		idle: time.Hour, runs: 1 << 20,
		claimKept: 10 * time.Minute, claimEach: 256 << 10, claimBytes: 64 << 20, claims: 1 << 19,
		memoryBytes: 128 << 20,
	}
}

const (
	maxMemoriesPerRun = 256
	maxUnknownsPerRun = 1024
	maxKeysPerRun     = 256
	maxOffers         = 6   // standing, and taken, of a tool
	maxOfferedTools   = 64  // of a run
	maxUnblocks       = 8   // tools that one tool's errors named
	sweepsPerIdleTime = 16  // how late an idle run may go
	evictionSample    = 32  // runs looked at to find an old one
	runCost           = 144 // bytes: record and its share of the table
	troubleCost       = 512 // bytes: beside memories
	claimCost         = 224 // bytes: beside the content
	memoryCost        = 384 // bytes: beside the contents
)

// Option changes a ledger as it is made.
type Option func(*Ledger)

// WithIdle forgets runs after that long without a call. Zero or less keeps the
// default, 1 h.
func WithIdle(idle time.Duration) Option {
	return func(l *Ledger) {
		if idle > 0 {
			l.limits.idle = idle
		}
	}
}

// WithMaxRuns bounds the runs; up to 256 more may stand for a moment. Zero or
// less keeps the default, 1,048,576.
func WithMaxRuns(runs int) Option {
	return func(l *Ledger) {
		if runs > 0 {
			l.limits.runs = int64(runs)
		}
	}
}

// WithMemoryBytes bounds what remembered failures hold in all. Zero or less
// keeps the default, 128 MiB.
func WithMemoryBytes(bytes int64) Option {
	return func(l *Ledger) {
		if bytes > 0 {
			l.limits.memoryBytes = bytes
		}
	}
}

// ClaimLimits bounds what is kept under call ids. Zero or less keeps the
// default of a field.
type ClaimLimits struct {
	Kept       time.Duration // an outcome's life; default 10 min
	EachBytes  int           // largest outcome kept; default 256 KiB
	TotalBytes int64         // all of them; default 64 MiB
	IDs        int64         // ids known; default 524,288
}

// WithClaimLimits sets the bounds of outcomes kept under call ids.
func WithClaimLimits(c ClaimLimits) Option {
	return func(l *Ledger) {
		if c.Kept > 0 {
			l.limits.claimKept = c.Kept
		}
		if c.EachBytes > 0 {
			l.limits.claimEach = c.EachBytes
		}
		if c.TotalBytes > 0 {
			l.limits.claimBytes = c.TotalBytes
		}
		if c.IDs > 0 {
			l.limits.claims = c.IDs
		}
	}
}

// OnEnd is told of every run that the ledger itself forgets, idle or pushed out,
// if it made calls and none brought a result. EndRun tells its caller instead.
// The function runs outside of every lock, in the goroutine of whichever call
// came by, and must not block.
func OnEnd(onEnd func(run interceptors.RunKey, summary *toolgatev1.RunSummary)) Option {
	return func(l *Ledger) {
		if onEnd != nil {
			l.onEnd = onEnd
		}
	}
}
