package redis

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

var errAway = errors.New("the server is away")

// link is whether the server is there. Terms count the times it came and went:
// odd while it is there. What was read in one term is good in that term alone.
type link struct {
	client atomic.Pointer[rueidis.Client]
	term   atomic.Uint64
	reply  atomic.Int64 // when the last answer came, since start
	start  time.Time

	mu       sync.Mutex // guards the rest
	since    time.Time
	cause    error
	absences uint64
	suspect  string // a key that the server failed on

	tellMu    sync.Mutex // held while followers are told, in order; guards the rest
	followers map[int]func(connected bool, cause error)
	next      int
}

func connected(term uint64) bool { return term%2 == 1 }

func (k *link) heard() { k.reply.Store(int64(time.Since(k.start))) }

// silent reports that no answer at all came for so long.
func (k *link) silent(wait time.Duration) bool {
	return time.Since(k.start)-time.Duration(k.reply.Load()) >= wait
}

// Health is how the ledger stands to its server.
type Health struct {
	// Connected: the server answers. Otherwise this replica is on its own, and
	// remembers what it sees itself.
	Connected bool
	Since     time.Time // when that began
	Absences  uint64    // times that the server was lost since Open
	// Untold is how many ends of calls, unknown outcomes and idempotency keys wait
	// to be told to the server.
	Untold int
	Cause  error // of the absence that is; nil while connected
}

// Health tells whether the server is there.
func (l *Ledger) Health() Health {
	l.link.mu.Lock()
	defer l.link.mu.Unlock()
	h := Health{
		Connected: connected(l.link.term.Load()), Since: l.link.since, Absences: l.link.absences,
		Untold: l.journal.untold(), Cause: l.link.cause,
	}
	if h.Connected {
		h.Cause = nil
	}
	return h
}

// Connected reports that the server is there.
func (l *Ledger) Connected() bool { return connected(l.link.term.Load()) }

// Absences is how often the server was lost since Open.
func (l *Ledger) Absences() uint64 { return l.Health().Absences }

// Follow has a function told whenever the server is lost or found again, one
// change after the other. It must be quick. The returned function ends it.
func (l *Ledger) Follow(changed func(connected bool, cause error)) (stop func()) {
	l.link.tellMu.Lock()
	defer l.link.tellMu.Unlock()
	n := l.link.next
	l.link.next++
	if l.link.followers == nil {
		l.link.followers = map[int]func(bool, error){}
	}
	l.link.followers[n] = changed
	return func() {
		l.link.tellMu.Lock()
		defer l.link.tellMu.Unlock()
		delete(l.link.followers, n)
	}
}

func (l *Ledger) tellFollowers() {
	l.link.tellMu.Lock()
	defer l.link.tellMu.Unlock()
	h := l.Health()
	for _, changed := range l.link.followers {
		changed(h.Connected, h.Cause)
	}
}

// lost judges an error. One command that failed says little; silence, a broken
// connection or a server that is not well end the term.
func (l *Ledger) lost(term uint64, key string, err error) {
	if spoken(err) || errors.Is(err, context.DeadlineExceeded) && !l.link.silent(l.wait) {
		return
	}
	l.link.mu.Lock()
	if l.ctx.Err() != nil || !l.link.term.CompareAndSwap(term, term+1) {
		l.link.mu.Unlock()
		return // somebody else noticed
	}
	l.link.since, l.link.cause, l.link.suspect = time.Now(), err, key
	l.link.absences++
	l.all.Go(l.seek)
	l.link.mu.Unlock()
	l.tellFollowers()
}

// seek looks for the server until it is there again or the ledger is closed.
func (l *Ledger) seek() {
	known := time.Now()
	for wait := firstProbe; ; wait = min(2*wait, lastProbe) {
		jittered := wait/2 + rand.N(wait) //nolint:gosec // jitter is no secret
		select {
		case <-time.After(jittered):
		case <-l.ctx.Done():
			return
		}
		err := l.probe()
		if err == nil {
			err = l.rejoin()
		}
		if err == nil {
			l.tellFollowers()
			return
		}
		l.link.mu.Lock()
		l.link.cause = err
		l.link.mu.Unlock()
		if time.Since(known) > renewClient {
			known = time.Now()
			l.disconnect()
		}
	}
}

// disconnect has the next probe begin from the URL, for a deployment that came
// back elsewhere.
func (l *Ledger) disconnect() {
	if client := l.link.client.Swap(nil); client != nil {
		(*client).Close()
	}
}

// probe asks the server for what the calls will ask of it: an answer to a write,
// in time, for the very key that failed.
func (l *Ledger) probe() error {
	client, err := l.connect()
	if err != nil {
		return err
	}
	l.link.mu.Lock()
	key := l.link.suspect
	l.link.mu.Unlock()
	if key == "" {
		key = l.prefix + marksTag
	}
	ctx, cancel := context.WithTimeout(l.ctx, dialTimeout)
	defer cancel()
	start := time.Now()
	for _, key := range [...]string{key + ":probe", key + ":probe"} {
		start = time.Now() // the first may have had to connect, or to load the script
		if err := l.scripts.probe.Exec(ctx, client, []string{key}, []string{"1000"}).Error(); err != nil {
			return err
		}
	}
	if time.Since(start) > l.wait {
		return errSlow
	}
	l.link.heard()
	return nil
}

var errReconnected = errors.New("the connection broke: what the server still knows has to be seen")

// dialed ends the term when a connection is to be made in it. The server behind
// it may be another one by now, or have lost its memory.
func (l *Ledger) dialed(address string) {
	if l.target.mode == modeSentinel && slices.Contains(l.target.addresses, address) {
		return // a sentinel remembers nothing of ours
	}
	if term := l.link.term.Load(); connected(term) {
		l.lost(term, "", errReconnected)
	}
}

var errSlow = errors.New("the server answers too late")

func (l *Ledger) connect() (rueidis.Client, error) {
	if client := l.link.client.Load(); client != nil {
		return *client, nil
	}
	client, err := rueidis.NewClient(l.target.option(l.dialed))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(l.ctx, dialTimeout)
	defer cancel()
	for _, node := range client.Nodes() { // all connections are made before the term begins
		_ = node.Do(ctx, node.B().Ping().Build()).Error()
	}
	l.link.client.Store(&client)
	if l.ctx.Err() != nil { // closed meanwhile
		l.disconnect()
		return nil, l.ctx.Err()
	}
	return client, nil
}
