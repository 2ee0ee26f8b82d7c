package cli_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

// tailing is a tail that runs.
type tailing struct {
	t        *testing.T
	out, err *lockedBuffer
	stop     context.CancelFunc
	code     chan int
}

func tail(t *testing.T, p cli.Program, args ...string) *tailing {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	tl := &tailing{t: t, out: newLockedBuffer(), err: newLockedBuffer(), stop: stop, code: make(chan int, 1)}
	p.Args, p.Stdout, p.Stderr = append([]string{"tail"}, args...), tl.out, tl.err
	go func() { tl.code <- cli.Run(ctx, p) }()
	t.Cleanup(stop)
	return tl
}

func (tl *tailing) ends() {
	tl.t.Helper()
	tl.stop()
	if code := <-tl.code; code != 0 {
		tl.t.Errorf("it ended with %d: %s", code, tl.err)
	}
}

func TestARunningGatewayIsFollowed(t *testing.T) {
	backend := listen(t, &http.Server{Handler: http.HandlerFunc(office)})
	s := serve(t, "--catalog", write(t, strings.Replace(dayCatalogue, "%s", backend, 1)), "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	all := tail(t, cli.Program{Terminal: true}, "--admin", s.Admin)
	failed := tail(t, cli.Program{}, "--admin", s.Admin, "--failed", "--tool", "list_invoices", "--class", "invalid_request", "--run", "r1", "--code", "invalid_date")
	var seen string
	for calls := 0; seen == "" && calls < 1000; calls++ { // until both listen
		run(t, cli.Program{}, "call", "list_invoices", "start_date=3/14", "--run", "before", "--gateway", s.Grpc)
		run(t, cli.Program{}, "call", "list_invoices", "start_date=14 March", "--run", "r1", "--gateway", s.Grpc)
		if strings.Contains(all.out.String(), "r1") {
			seen = failed.out.String()
		}
	}
	run(t, cli.Program{}, "call", "list_tasks", "status=open", "--run", "r2", "--gateway", s.Grpc)
	all.out.waitFor("r2")
	all.ends()
	failed.ends()
	line := all.out.String()
	if !strings.Contains(line, "\x1b[35minvalid_request\x1b[0m  ") || !strings.Contains(line, "start_date (date)") || !strings.Contains(line, "\x1b[32mresult") {
		t.Errorf("got %s", line)
	}
	for line := range strings.Lines(failed.out.String()) {
		var call struct{ Run, Tool, Class, Code, Field, Expected string }
		if err := json.Unmarshal([]byte(line), &call); err != nil || call.Run != "r1" || call.Code == "" || call.Expected != "date" {
			t.Errorf("%s: %v", line, err)
		}
	}
}

const (
	failedLine   = `{"time":"2026-11-29T10:00:00Z","msg":"tool call failed","run":"r1","tool":"pay","class":"terminal","code":"gone","attempts":2,"exhausted":false,"maybe_executed":true,"answered_by":"","waited":1500000000,"took":2500000000}`
	answeredLine = `{"time":"2026-11-29T10:00:01Z","msg":"tool call answered","run":"r2","tool":"list","attempts":1,"coerced":1,"took":5000000}`
	otherLine    = `{"time":"2026-11-29T10:00:01Z","msg":"serving","grpc":"127.0.0.1:1"}`
)

func TestALogOnStandardInputIsShownToItsEnd(t *testing.T) {
	log := strings.Join([]string{otherLine, failedLine, "panic: no JSON", answeredLine}, "\n")
	got := run(t, cli.Program{Stdin: strings.NewReader(log)}, "tail", "--from", "-", "-o", "table")
	for _, part := range []string{"pay ", "terminal ", "gone ", "2.5 s, waited 1.5 s, 2 attempts, maybe executed  r1\n", "result ", "5 ms, coerced  r2\n"} {
		if !strings.Contains(got.out, part) {
			t.Errorf("%q lacks %q", got.out, part)
		}
	}
	if got.code != 0 || strings.Count(got.out, "\n") != 2 {
		t.Errorf("got %+v", got)
	}
	filtered := run(t, cli.Program{Stdin: strings.NewReader(log)}, "tail", "--from", "-", "--class", "result")
	if strings.Count(filtered.out, "\n") != 1 || !strings.Contains(filtered.out, `"tool":"list"`) {
		t.Errorf("got %+v", filtered)
	}
}

func TestALogIsFollowedThroughItsRotation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gateway.log")
	add := func(text string) {
		t.Helper()
		log, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = log.WriteString(text)
		_ = log.Close()
	}
	named := func(run string) string { return strings.Replace(failedLine, `"r1"`, `"`+run+`"`, 1) + "\n" }
	for _, run := range []string{"old-1", "old-2", "old-3"} {
		add(named(run))
	}
	tl := tail(t, cli.Program{}, "--from", file, "-n", "2")
	tl.out.waitFor("old-3")
	add(named("half")[:40])
	add(named("half")[40:])
	tl.out.waitFor("half")
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	add(named("rotated"))
	tl.out.waitFor("rotated")
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	add(named("new"))
	tl.out.waitFor(`"run":"new"`)
	tl.ends()
	if out := tl.out.String(); strings.Contains(out, "old-1") || strings.Count(out, "\n") != 5 {
		t.Errorf("got %s", out)
	}
}

func TestATailThatCannotBeginSaysWhatToDo(t *testing.T) {
	other := listen(t, &http.Server{Handler: http.NotFoundHandler()})
	for _, tc := range []struct {
		name string
		args []string
		hint string
	}{
		{"no gateway", []string{"--admin", "127.0.0.1:1"}, "--admin-listen HOST:PORT"},
		{"no address", []string{"--admin", "gateway"}, "--admin takes host:port"},
		{"something else", []string{"--admin", other}, "does not tell of calls (HTTP 404)"},
		{"no log", []string{"--from", "/no/such/log"}, "there is no file /no/such/log"},
		{"no class", []string{"--class", "fatal"}, "invalid_request"},
		{"no output", []string{"-o", "xml"}, "-o json"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := run(t, cli.Program{}, append([]string{"tail"}, tc.args...)...); got.code != 1 || !strings.Contains(got.err, tc.hint) {
				t.Errorf("got %+v", got)
			}
		})
	}
}
