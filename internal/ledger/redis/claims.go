package redis

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// What the server says of a call id.
const (
	claimTaken    = "T"
	claimRunning  = "R"
	claimSettled  = "S"
	claimTooLarge = "B"
	claimLost     = "L"
	claimOther    = "O"
)

var claimStates = map[string]interceptors.ClaimState{
	claimTaken: interceptors.ClaimTaken, claimRunning: interceptors.ClaimRunning, claimSettled: interceptors.ClaimSettled,
	claimTooLarge: interceptors.ClaimTooLarge, claimLost: interceptors.ClaimLost, claimOther: interceptors.ClaimOther,
}

// held is a call id that this replica holds: its call runs here.
type held struct {
	run    interceptors.RunKey
	callID string
	same   interceptors.Key
	token  string
	since  time.Time
	known  bool // the server may know of it
}

// running are the call ids that this replica holds, by key.
type running struct {
	mu  sync.Mutex // guards all
	all map[string]*held
}

func (r *running) add(key string, h *held) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[key] = h
}

func (r *running) take(key string) *held {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.all[key]
	delete(r.all, key)
	return h
}

// Claim takes the call id or tells what became of it. With the first claim of an
// rpc comes the state of its run.
func (l *Ledger) Claim(ctx context.Context, run interceptors.RunKey, callID string, same interceptors.Key, fresh bool) (interceptors.Claim, error) {
	v := l.viewOf(ctx, run)
	names := l.namesFor(v, run)
	l.flights.settle(ctx, names.tag) // its end may be on its way
	key, h := names.claim(callID), &held{run: run, callID: callID, same: same, token: l.newToken(), since: time.Now()}
	changes, term := l.bucket(&names).Load(), l.link.term.Load()
	// A caller who leaves now does not take back what the server was asked: its
	// answer tells whether there is a claim to release.
	message, err := l.ask(context.WithoutCancel(ctx), l.scripts.claim, names.and(key), l.claimArgs(v, h, fresh))
	if err != nil {
		return l.claimLocally(ctx, v, key, h, fresh)
	}
	claim, s, err := readClaim(message)
	if err != nil {
		return claim, err
	}
	if claim.State == interceptors.ClaimLost && leaseEnded(message) && l.gathering() {
		claim.State = interceptors.ClaimRunning
	}
	if v != nil {
		v.claimed(s, term, changes, h, claim.State)
	}
	if claim.State == interceptors.ClaimTaken {
		h.known = true
		l.running.add(key, h)
		_, _ = l.local.Snapshot(ctx, run)                  // its run is not idle
		_, _ = l.local.Claim(ctx, run, callID, same, true) // for when the server is lost
	}
	return claim, err
}

func (l *Ledger) claimArgs(v *view, h *held, fresh bool) []string {
	bound, anew := "-1", "0"
	if v != nil {
		bound = strconv.Itoa(stateBytes)
	}
	if fresh {
		anew = "1"
	}
	return []string{millis(idle), bound, string(h.same[:]), anew, h.token, millis(l.lease), millis(claimKept)}
}

// claimed takes in what came along with a claim.
func (v *view) claimed(s *state, term uint64, changes uint32, h *held, became interceptors.ClaimState) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s != nil {
		v.adopt(s, term, changes)
	}
	v.running = ""
	if became == interceptors.ClaimRunning {
		v.running = h.callID
	}
}

// leaseEnded reports that nothing else says that the call is lost.
func leaseEnded(message rueidis.RedisMessage) bool {
	parts, _ := message.ToArray()
	content, _ := parts[1].ToString() // readClaim has seen it
	return content == "x"
}

// gathering reports that the server came back just now. Leases ended in the
// absence, of calls that run as ever: whoever runs one may not have said so yet.
func (l *Ledger) gathering() bool {
	l.link.mu.Lock()
	defer l.link.mu.Unlock()
	return l.link.absences > 0 && time.Since(l.link.since) < l.lease/2
}

// claimLocally answers without the server. A call that ran on another replica
// when we last heard of it is still running, for all we know.
func (l *Ledger) claimLocally(ctx context.Context, v *view, key string, h *held, fresh bool) (interceptors.Claim, error) {
	if err := ctx.Err(); err != nil {
		return interceptors.Claim{}, err
	}
	if v != nil {
		v.mu.Lock()
		elsewhere := v.running == h.callID
		_ = v.arriveLocally(ctx, nil)
		v.mu.Unlock()
		if elsewhere {
			return interceptors.Claim{State: interceptors.ClaimRunning}, nil
		}
	}
	claim, err := l.local.Claim(ctx, h.run, h.callID, h.same, fresh)
	if err == nil && claim.State == interceptors.ClaimTaken {
		l.running.add(key, h)
	}
	return claim, err
}

func readClaim(message rueidis.RedisMessage) (claim interceptors.Claim, s *state, err error) {
	parts, err := message.ToArray()
	if err != nil || len(parts) < 2 {
		return claim, nil, fmt.Errorf("%w: a claim of %d parts", errReply, len(parts))
	}
	became, _ := parts[0].ToString()
	var known bool
	if claim.State, known = claimStates[became]; !known {
		return claim, nil, fmt.Errorf("%w: a claim that is %q", errReply, became)
	}
	if len(parts) > 2 {
		if s, err = readState(parts[2]); err != nil {
			return claim, nil, err
		}
	}
	if claim.State != interceptors.ClaimSettled {
		return claim, s, nil
	}
	content, err := parts[1].ToString()
	if err != nil {
		return claim, s, err
	}
	claim.Response = &toolgatev1.CallToolResponse{}
	if err := proto.Unmarshal([]byte(content), claim.Response); err != nil {
		return claim, s, fmt.Errorf("the outcome kept under a call id: %w", err)
	}
	return claim, s, nil
}

// SettleClaim stores the outcome of a claimed call, here and at the server. An
// rpc does not wait for the latter; what the server was not told is told when it
// is back.
func (l *Ledger) SettleClaim(ctx context.Context, run interceptors.RunKey, callID string, response *toolgatev1.CallToolResponse) error {
	names := l.namesFor(l.viewOf(ctx, run), run)
	key := names.claim(callID)
	h := l.running.take(key)
	if h == nil {
		return nil // never claimed, or ended already
	}
	became, content, err := encodeOutcome(response)
	if err != nil {
		return err
	}
	err = l.local.SettleClaim(ctx, run, callID, response)
	end := &ending{held: *h, key: key, bytes: len(content), at: time.Now()}
	l.hollow(ctx, l.journal.end(end))
	if !h.known || !l.Connected() {
		l.journal.told(end, false)
		if l.Connected() { // it came back while the call ran
			l.spawn(func() { _ = l.tellEnds([]*ending{end}) })
		}
		return err
	}
	s := step{args: []string{"S", h.token, became, content, millis(claimKept)}, key: key, end: end}
	_ = l.follow(ctx, run, s, withTheEnd)
	return err
}

func encodeOutcome(response *toolgatev1.CallToolResponse) (became, content string, err error) {
	switch {
	case response == nil:
		return claimLost, "", nil
	case proto.Size(response) > claimEach:
		return claimTooLarge, "", nil
	}
	encoded, err := proto.Marshal(response)
	if err != nil {
		return "", "", fmt.Errorf("an outcome to keep under its call id: %w", err)
	}
	return claimSettled, string(encoded), nil
}

// ReleaseClaim gives the call id free. Where the server is lost just then the id
// is lost with its lease: a write answers outcome_unknown.
func (l *Ledger) ReleaseClaim(ctx context.Context, run interceptors.RunKey, callID string) error {
	names := l.namesFor(l.viewOf(ctx, run), run)
	key := names.claim(callID)
	if h := l.running.take(key); h != nil {
		_ = l.follow(ctx, run, step{args: []string{"L", h.token}, key: key}, withTheEnd)
	}
	return l.local.ReleaseClaim(ctx, run, callID)
}

// hollow drops the content of the oldest outcomes, so that what this replica has
// stored keeps within its bound.
func (l *Ledger) hollow(ctx context.Context, ends []*ending) {
	for _, end := range ends {
		_, _ = l.ask(ctx, l.scripts.hollow, []string{end.key}, []string{end.token})
	}
}
