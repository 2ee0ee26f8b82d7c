package access

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	maxVerified     = 4096
	verifiedForTime = time.Minute
)

// verified remembers tokens that were looked at, by their digest: a signature costs
// more than the rest of a small call. It is safe for concurrent use.
type verified struct {
	mu     sync.Mutex // guards tokens
	tokens map[[sha256.Size]byte]bearing
}

type bearing struct {
	principal string
	until     time.Time
}

func newVerified() *verified { return &verified{tokens: map[[sha256.Size]byte]bearing{}} }

func (v *verified) find(token string, now time.Time) (string, bool) {
	digest := sha256.Sum256([]byte(token))
	v.mu.Lock()
	defer v.mu.Unlock()
	b, known := v.tokens[digest]
	if known && !now.Before(b.until) {
		delete(v.tokens, digest)
		known = false
	}
	return b.principal, known
}

// keep remembers a token until it expires, for a minute at most. Where there are too
// many all are forgotten, and looked at again.
func (v *verified) keep(token, principal string, now, expires time.Time) {
	until := now.Add(verifiedForTime)
	if expires.Before(until) {
		until = expires
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.tokens) >= maxVerified {
		clear(v.tokens)
	}
	v.tokens[sha256.Sum256([]byte(token))] = bearing{principal: principal, until: until}
}
