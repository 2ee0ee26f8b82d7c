package redis

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"toolgate.dev/toolgate/interceptors"
)

// Ledger is the keeper. It is safe for concurrent use; Close it when nobody
// calls any more.
type Ledger struct {
	target  *target
	local   interceptors.Ledger
	scripts *scripts
	prefix  string
	wait    time.Duration
	lease   time.Duration
	tail    time.Duration // what a failover may have lost: it is told anew

	owner   string       // names this replica among those that run calls
	fleet   atomic.Int64 // replicas that there are
	tokens  atomic.Uint64
	changes [1024]atomic.Uint32 // bumped by what this replica writes, by run
	seed    maphash.Seed

	link    link
	running running
	journal journal
	flights flights
	board   board

	ctx  context.Context //nolint:containedctx // ends with Close; the goroutines of the ledger have no other
	stop context.CancelFunc
	all  sync.WaitGroup // the goroutines of the ledger
}

var (
	_ interceptors.Ledger   = (*Ledger)(nil)
	_ interceptors.Arrivals = (*Ledger)(nil)
)

// Open connects to the server that the URL names; the package comment has the
// forms. local keeps what the server can't be told, and must be a keeper of this
// process: memory.New().
//
// A server that can't be reached is no error: the local keeper serves until it
// is found. What trying again won't cure is one: a URL that can't be read, a
// certificate that is not trusted, a refused password, a missing permission. No
// error shows the password.
func Open(url string, local interceptors.Ledger, options ...Option) (*Ledger, error) {
	if local == nil {
		return nil, errors.New("redis: a local keeper is required: it serves while the server is away")
	}
	target, err := parseURL(url)
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	l := &Ledger{
		target: target, local: local, scripts: newScripts(), prefix: target.prefix,
		wait: DefaultWait, lease: defaultLease, tail: tailLost,
		owner: newOwner(), seed: maphash.MakeSeed(),
	}
	if l.prefix == "" {
		l.prefix = defaultPrefix
	}
	for _, option := range options {
		option(l)
	}
	l.ctx, l.stop = context.WithCancel(context.Background())
	l.flights.init()
	l.board.init()
	l.running.all = map[string]*held{}
	l.link.start = time.Now()
	l.link.since = l.link.start
	if err := l.start(); err != nil {
		l.Close()
		return nil, fmt.Errorf("redis: the state at %s: %w", target.address, err)
	}
	l.all.Go(l.renewing)
	l.all.Go(l.posting)
	return l, nil
}

// start makes the first contact.
func (l *Ledger) start() error {
	err := l.probe()
	switch {
	case err == nil:
		l.link.term.Add(1)
		_ = l.sign() // it is signed again and again
		return nil
	case misconfigured(err):
		return err
	}
	l.link.cause = err
	l.all.Go(l.seek)
	return nil
}

// Close ends the connection and every goroutine of the ledger. What follows the
// last calls is written first, as far as the server answers.
func (l *Ledger) Close() {
	l.flights.drain(l.wait)
	l.link.mu.Lock() // so that nobody begins to seek behind it
	l.stop()
	l.link.mu.Unlock()
	l.disconnect()
	l.all.Wait()
}

// Sweep has the local keeper forget what is idle, if it has to be asked.
func (l *Ledger) Sweep() {
	if keeper, ok := l.local.(interface{ Sweep() }); ok {
		keeper.Sweep()
	}
}

func newOwner() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

func (l *Ledger) newToken() string { return l.owner + ":" + strconv.FormatUint(l.tokens.Add(1), 36) }

// ask runs a script and waits for its answer. An error means that nobody knows:
// the local keeper has to answer.
func (l *Ledger) ask(ctx context.Context, script *rueidis.Lua, keys, args []string) (rueidis.RedisMessage, error) {
	client, term := l.link.client.Load(), l.link.term.Load()
	if client == nil || !connected(term) {
		return rueidis.RedisMessage{}, errAway
	}
	if err := ctx.Err(); err != nil {
		return rueidis.RedisMessage{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	message, err := script.Exec(bounded, *client, keys, args).ToMessage()
	switch {
	case err == nil && l.link.term.Load() != term:
		return message, errAway // it is the answer of a server that we have to see first
	case err == nil:
		l.link.heard()
		return message, nil
	case ctx.Err() != nil: // the caller has left; that says nothing of the server
		return message, ctx.Err()
	}
	l.lost(term, keys[0], err)
	return message, err
}

// number is ask for scripts that return one.
func (l *Ledger) number(ctx context.Context, script *rueidis.Lua, keys, args []string) (int64, error) {
	message, err := l.ask(ctx, script, keys, args)
	if err != nil {
		return 0, err
	}
	return message.AsInt64()
}

// bucket has the changes of a run, and of some others.
func (l *Ledger) bucket(names *names) *atomic.Uint32 {
	return &l.changes[maphash.String(l.seed, names.tag)%uint64(len(l.changes))]
}
