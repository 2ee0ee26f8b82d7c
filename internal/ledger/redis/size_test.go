package redis

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/redistest"
)

// info reads one figure of the server's.
func info(t *testing.T, server *redistest.Server, section, name string) float64 {
	t.Helper()
	for lines := bufio.NewScanner(strings.NewReader(server.Do("INFO", section))); lines.Scan(); {
		if key, value, _ := strings.Cut(lines.Text(), ":"); key == name {
			number, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return number
		}
	}
	return 0
}

// messages is how many scripts the server was sent.
func messages(t *testing.T, server *redistest.Server) (n, micros float64) {
	t.Helper()
	for lines := bufio.NewScanner(strings.NewReader(server.Do("INFO", "commandstats"))); lines.Scan(); {
		var calls, usec float64
		if _, err := fmt.Sscanf(lines.Text(), "cmdstat_evalsha:calls=%f,usec=%f", &calls, &usec); err == nil {
			return calls, usec
		}
	}
	return 0, 0
}

// kindOfCall is what a call leaves at the server; docs/state.md states the bounds.
type kindOfCall struct {
	name     string
	play     func(t *testing.T, l *Ledger, n int)
	bytes    float64 // at most, of a run with one such call
	messages float64 // at most, for one such call
}

const filler = 1000 // bytes of an outcome that is kept

var kindsOfCall = []kindOfCall{
	{"succeeds", func(t *testing.T, l *Ledger, n int) { t.Helper(); play(t, l, n, "", false) }, 400, 2},
	{"succeeds with an id", func(t *testing.T, l *Ledger, n int) { t.Helper(); play(t, l, n, "id", false) }, 1000 + filler, 2},
	{"fails", func(t *testing.T, l *Ledger, n int) { t.Helper(); play(t, l, n, "", true) }, 1800, 4},
}

// play is a run of one call, as the rooms ask for it.
func play(t *testing.T, l *Ledger, n int, id string, fails bool) {
	t.Helper()
	run := interceptors.RunKey{Principal: "ann", ID: fmt.Sprintf("0b8e5a52-7a0a-4c37-9e1b-%012d", n)}
	key := interceptors.Key{byte(n), byte(n >> 8)}
	ctx, snapshot, err := l.Arrive(t.Context(), run, id)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	if id != "" {
		_, err = l.Claim(ctx, run, id, key, false)
		must(err)
	}
	query := interceptors.StandingQuery{Run: run, Tool: "pay", Version: "1", Snapshot: snapshot, Cap: 3, Memory: 10 * time.Minute}
	_, err = l.Standing(ctx, query)
	must(err)
	_, err = l.Recall(ctx, run, key)
	must(err)
	tally := interceptors.Tally{Tool: "pay", Attempts: 1}
	if fails {
		failure := &interceptors.Memory{
			Tool: "pay", Version: "1", TTL: 2 * time.Minute, Until: time.Now().Add(2 * time.Minute),
			Error: &toolgatev1.ToolError{ErrorClass: interceptors.Terminal, Code: "taken", Message: strings.Repeat("it is taken ", 8)},
		}
		must(l.Remember(ctx, run, key, failure, snapshot))
		_, err = l.Reject(ctx, interceptors.Rejection{StandingQuery: query, Unblock: "deposit"})
		must(err)
		tally.Failed, tally.Class = true, interceptors.Terminal
	} else {
		must(l.Unblock(ctx, run, "pay", true))
		must(l.Forgive(ctx, run, "pay"))
	}
	if id != "" {
		must(l.SettleClaim(ctx, run, id, result(strings.Repeat("x", filler))))
	}
	must(l.Tally(ctx, run, tally))
}

func TestARunTakesNoMoreOfTheServerThanIsStated(t *testing.T) {
	const runs = 5000
	for _, kind := range kindsOfCall {
		t.Run(kind.name, func(t *testing.T) {
			server := redistest.Start(t)
			l, err := Open(server.URL, memory.New(), WithWait(patient))
			if err != nil {
				t.Fatal(err)
			}
			kind.play(t, l, runs) // the scripts are known from now on
			l.flights.drain(patient)
			bytes := info(t, server, "memory", "used_memory")
			sent, busy := messages(t, server)
			for n := range runs {
				kind.play(t, l, n)
			}
			l.flights.drain(patient)
			after, spent := messages(t, server)
			each, asked := (info(t, server, "memory", "used_memory")-bytes)/runs, (after-sent)/runs
			t.Logf("%.0f bytes a run, %.2f messages a call, %.0f µs of the server each", each, asked, (spent-busy)/runs)
			if each > kind.bytes {
				t.Errorf("%.0f bytes a run, at most %.0f are stated", each, kind.bytes)
			}
			if asked > kind.messages+0.1 { // leases are renewed beside
				t.Errorf("%.2f messages a call, at most %.0f are stated", asked, kind.messages)
			}
			l.Close()
		})
	}
}
