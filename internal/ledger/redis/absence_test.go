package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/redistest"
)

var (
	theRun = interceptors.RunKey{Principal: "ann", ID: "run"}
)

// pair is two replicas at one server, with a wait that is short enough to see it
// pass, and long enough for a busy machine.
type pair struct {
	*testing.T
	server *redistest.Server
	one    *Ledger
	other  *Ledger
}

const shortWait = 2 * time.Second

func newPair(t *testing.T, options ...redistest.Option) *pair {
	t.Helper()
	t.Cleanup(func() { noGoroutines(t) })
	p := &pair{T: t, server: redistest.Start(t, options...)}
	p.one = open(t, p.server.URL, WithWait(shortWait))
	p.other = open(t, p.server.URL, WithWait(shortWait))
	return p
}

// noGoroutines fails the test where a closed ledger left goroutines.
func noGoroutines(t *testing.T) {
	t.Helper()
	var left string
	for range 200 {
		buf := make([]byte, 1<<20)
		left = ""
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "redis/rueidis") || strings.Contains(stack, "ledger/redis.(*Ledger)") {
				left = stack
			}
		}
		if left == "" {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Errorf("a goroutine is left:\n%s", left)
}

// await waits for what comes by itself.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if happened() {
			return
		}
	}
	t.Fatalf("it never happened that %s", what)
}

func (p *pair) awaitBoth() {
	p.Helper()
	for _, l := range []*Ledger{p.one, p.other} {
		await(p.T, "the server is found again", func() bool {
			_, _ = l.Snapshot(p.Context(), interceptors.RunKey{ID: rand.Text()}) // a new one: it has to be written
			return l.Connected()
		})
	}
}

// lose has both replicas notice that the server is gone.
func (p *pair) lose() {
	p.Helper()
	for _, l := range []*Ledger{p.one, p.other} {
		await(p.T, "the loss is noticed", func() bool {
			_, _ = l.Snapshot(p.Context(), interceptors.RunKey{ID: rand.Text()}) // a new one: it has to be written
			return !l.Connected()
		})
	}
}

func (p *pair) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func result(text string) *toolgatev1.CallToolResponse {
	return (&interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: text}}).Response()
}

func (p *pair) wantClaim(l *Ledger, id string, want interceptors.ClaimState, outcome *toolgatev1.CallToolResponse) {
	p.Helper()
	claim, err := l.Claim(p.Context(), theRun, id, interceptors.Key{1}, false)
	p.must(err)
	if claim.State != want || outcome != nil && !proto.Equal(claim.Response, outcome) {
		p.Errorf("%q is %d with %v, want %d with %v", id, claim.State, claim.Response, want, outcome)
	}
}

func (p *pair) run(l *Ledger, id, text string) {
	p.Helper()
	p.wantClaim(l, id, interceptors.ClaimTaken, nil)
	p.must(l.SettleClaim(p.Context(), theRun, id, result(text)))
}

func (p *pair) doubt(l *Ledger, n byte) {
	p.Helper()
	m := &interceptors.Memory{
		Tool: "pay", Version: "1", Unknown: true, Arguments: []byte(`{}`),
		Error: &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: interceptors.CodeOutcomeUnknown, MaybeExecuted: true},
	}
	p.must(l.Remember(p.Context(), theRun, interceptors.Key{n}, m, interceptors.Snapshot{}))
}

func (p *pair) wantDoubt(l *Ledger, n byte, want bool) {
	p.Helper()
	m, err := l.Recall(p.Context(), theRun, interceptors.Key{n})
	p.must(err)
	if (m != nil && m.Unknown) != want {
		p.Errorf("call %d: %v, want an unknown outcome: %v", n, m, want)
	}
}

func (p *pair) reject(l *Ledger, snapshot interceptors.Snapshot) (uint32, error) {
	return l.Reject(p.Context(), interceptors.Rejection{StandingQuery: interceptors.StandingQuery{
		Run: theRun, Tool: "pay", Version: "1", Snapshot: snapshot, Cap: 3, Memory: 10 * time.Minute,
	}})
}

func (p *pair) snapshot(l *Ledger) interceptors.Snapshot {
	p.Helper()
	snapshot, err := l.Snapshot(p.Context(), theRun)
	p.must(err)
	return snapshot
}

// absences are the ways in which a server goes away and comes back with what it
// had.
var absences = map[string]struct{ goes, comes func(*redistest.Server) }{
	"killed and started again": {(*redistest.Server).Kill, (*redistest.Server).Restart},
	"stopped in its tracks":    {(*redistest.Server).Pause, (*redistest.Server).Resume},
	"a replica that may not be written": {
		func(s *redistest.Server) { s.Do("REPLICAOF", "127.0.0.1", "1") },
		func(s *redistest.Server) { s.Do("REPLICAOF", "NO", "ONE") },
	},
	"full": {
		func(s *redistest.Server) { s.Do("CONFIG", "SET", "maxmemory", "1") },
		func(s *redistest.Server) { s.Do("CONFIG", "SET", "maxmemory", "0") },
	},
	withoutReplica: {
		func(s *redistest.Server) { s.Do("CONFIG", "SET", "min-replicas-to-write", "1") },
		func(s *redistest.Server) { s.Do("CONFIG", "SET", "min-replicas-to-write", "0") },
	},
}

const withoutReplica = "without a replica that it needs"

func TestAnAbsenceIsServedAndOvercome(t *testing.T) {
	for name, absence := range absences {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, redistest.AppendOnly)
			if name == withoutReplica && strings.Contains(p.server.Do("INFO", "server"), "redis_version:6") {
				t.Skip("scripts of Redis 6 don't ask for replicas")
			}
			p.run(p.one, "before", "1")
			p.doubt(p.one, 1)
			p.must(p.one.KeepKey(t.Context(), theRun, interceptors.Key{5}, "kept before"))

			absence.goes(p.server)
			p.lose()
			if h := p.one.Health(); h.Connected || h.Absences != 1 || h.Cause == nil {
				t.Errorf("health is %+v", h)
			}
			// This replica knows what it did itself, and what it does now.
			p.wantClaim(p.one, "before", interceptors.ClaimSettled, result("1"))
			p.wantDoubt(p.one, 1, true)
			p.run(p.one, "meanwhile", "2")
			p.wantClaim(p.one, "meanwhile", interceptors.ClaimSettled, result("2"))
			p.doubt(p.one, 2)
			p.must(p.one.KeepKey(t.Context(), theRun, interceptors.Key{6}, "kept meanwhile"))
			p.wantClaim(p.one, "over the end", interceptors.ClaimTaken, nil)

			absence.comes(p.server)
			p.awaitBoth()
			if h := p.one.Health(); !h.Connected || h.Cause != nil || h.Untold != 0 {
				t.Errorf("health is %+v", h)
			}
			// And so do all, now.
			p.wantClaim(p.other, "before", interceptors.ClaimSettled, result("1"))
			p.wantClaim(p.other, "meanwhile", interceptors.ClaimSettled, result("2"))
			p.wantClaim(p.other, "over the end", interceptors.ClaimRunning, nil)
			p.must(p.one.SettleClaim(t.Context(), theRun, "over the end", result("3")))
			p.wantClaim(p.other, "over the end", interceptors.ClaimSettled, result("3"))
			p.wantDoubt(p.other, 1, true)
			p.wantDoubt(p.other, 2, true)
			for n, want := range map[byte]string{5: "kept before", 6: "kept meanwhile"} {
				if key, err := p.other.TakeKey(t.Context(), theRun, interceptors.Key{n}); key != want || err != nil {
					t.Errorf("key %d is %q, %v", n, key, err)
				}
			}
		})
	}
}

func TestAServerThatForgotEverythingIsToldAgain(t *testing.T) {
	p := newPair(t)
	p.run(p.one, "before", "1")
	p.doubt(p.one, 1)
	p.doubt(p.one, 2)
	p.must(p.one.Erase(t.Context(), theRun, interceptors.Key{2}))
	p.server.Kill()
	p.lose()
	p.server.Restart()
	p.awaitBoth()
	p.wantClaim(p.other, "before", interceptors.ClaimSettled, result("1"))
	p.wantDoubt(p.other, 1, true)
	p.wantDoubt(p.other, 2, false)
}

// A restart so quick that no call has missed the server.
func TestAServerThatForgotEverythingUnnoticedIsToldAgain(t *testing.T) {
	p := newPair(t)
	p.run(p.one, "before", "1")
	p.doubt(p.one, 1)
	snapshot := p.snapshot(p.one)
	p.server.Kill()
	p.server.Restart()
	// Nothing that the new server says is believed before it was told.
	p.wantClaim(p.one, "before", interceptors.ClaimSettled, result("1"))
	p.wantDoubt(p.one, 1, true)
	p.awaitBoth()
	p.wantClaim(p.other, "before", interceptors.ClaimSettled, result("1"))
	p.wantDoubt(p.other, 1, true)
	if count, err := p.reject(p.one, snapshot); count != 0 || err != nil {
		t.Errorf("a call of the lost memory: count %d, %v", count, err)
	}
}

func TestACallCountsWithTheKeeperThatItArrivedAt(t *testing.T) {
	p := newPair(t, redistest.AppendOnly)
	count, err := p.reject(p.one, p.snapshot(p.one))
	if count != 1 || err != nil {
		t.Fatalf("count %d, %v", count, err)
	}
	before := p.snapshot(p.one)
	p.server.Kill()
	p.lose()
	if count, err := p.reject(p.one, before); err == nil {
		t.Errorf("count %d by the local keeper", count)
	}
	meanwhile := p.snapshot(p.one)
	if count, err := p.reject(p.one, meanwhile); count != 1 || err != nil {
		t.Errorf("a call of the absence: count %d, %v", count, err)
	}
	p.server.Restart()
	p.awaitBoth()
	if count, err := p.reject(p.one, meanwhile); count != 1 || err != nil {
		t.Errorf("a call of the absence, after it: count %d, %v", count, err)
	}
	if count, err := p.reject(p.one, before); count != 2 || err != nil {
		t.Errorf("a call from before it, after it: count %d, %v", count, err)
	}
	if count, err := p.reject(p.one, p.snapshot(p.one)); count != 3 || err != nil {
		t.Errorf("a call that arrived after it: count %d, %v", count, err)
	}
}

func TestAnRPCKnowsWhatItKnewWhenTheServerIsLost(t *testing.T) {
	p := newPair(t)
	p.doubt(p.other, 1) // the other replica's: nobody here saw it
	for range 3 {
		_, err := p.reject(p.other, p.snapshot(p.other))
		p.must(err)
	}
	ctx, snapshot, err := p.one.Arrive(t.Context(), theRun)
	p.must(err)
	p.server.Kill()
	p.lose()
	if m, err := p.one.Recall(ctx, theRun, interceptors.Key{1}); err != nil || m == nil || !m.Unknown {
		t.Errorf("got %v, %v", m, err)
	}
	standing, err := p.one.Standing(ctx, interceptors.StandingQuery{Run: theRun, Tool: "pay", Version: "1", Snapshot: snapshot, Cap: 3})
	if err != nil || !standing.Capped {
		t.Errorf("got %v, %v", standing, err)
	}
	p.wantDoubt(p.one, 1, false) // that is the price: a new rpc does not know
}

func TestACallThatRanElsewhereRunsForAllWeKnow(t *testing.T) {
	p := newPair(t)
	p.wantClaim(p.other, "id", interceptors.ClaimTaken, nil)
	ctx, _, err := p.one.Arrive(t.Context(), theRun, "id")
	p.must(err)
	for _, lost := range []bool{false, true} {
		if lost {
			p.server.Kill()
			p.lose()
		}
		claim, err := p.one.Claim(ctx, theRun, "id", interceptors.Key{1}, false)
		if err != nil || claim.State != interceptors.ClaimRunning {
			t.Errorf("lost %v: state %d, %v", lost, claim.State, err)
		}
	}
}

func TestTheCallersOwnEndSaysNothingOfTheServer(t *testing.T) {
	p := newPair(t)
	ctx, cancel := context.WithCancel(t.Context())
	p.server.Pause()
	asked := make(chan error, 1)
	go func() {
		_, err := p.one.Snapshot(ctx, theRun)
		asked <- err
	}()
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	p.server.Resume()
	if h := p.one.Health(); !h.Connected || h.Absences != 0 {
		t.Errorf("health is %+v", h)
	}
}

func TestAServerThatIsNotThereYetIsFoundLater(t *testing.T) {
	t.Cleanup(func() { noGoroutines(t) })
	server := redistest.Start(t)
	server.Kill()
	changes := make(chan bool, 8)
	l := open(t, server.URL, WithWait(shortWait))
	stop := l.Follow(func(connected bool, _ error) { changes <- connected })
	if _, err := l.Snapshot(t.Context(), theRun); err != nil || l.Connected() {
		t.Errorf("connected %v, %v", l.Connected(), err)
	}
	server.Restart()
	if connected := <-changes; !connected || !l.Connected() {
		t.Errorf("it was found, and connected is %v", connected)
	}
	server.Kill()
	await(t, "the loss is told", func() bool {
		_, _ = l.Snapshot(t.Context(), theRun)
		return len(changes) == 1
	})
	if <-changes {
		t.Error("it was lost, and is told as found")
	}
	stop()
	server.Restart()
	await(t, "it is found", l.Connected)
	if len(changes) > 0 {
		t.Error("who no longer follows is told")
	}
}

func TestBrokenConnectionsAreReplaced(t *testing.T) {
	t.Cleanup(func() { noGoroutines(t) })
	proxy := redistest.StartProxy(t, redistest.Start(t))
	l := open(t, proxy.URL, WithWait(shortWait))
	p := &pair{T: t, one: l, other: l}
	for range 20 {
		p.snapshot(l)
		proxy.Cut()
	}
	proxy.Refuse()
	proxy.Cut()
	p.lose()
	proxy.Open()
	p.awaitBoth()
	proxy.Silence()
	p.lose()
	proxy.Open()
	p.awaitBoth()
}
