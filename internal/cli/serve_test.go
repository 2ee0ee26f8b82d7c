package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgate.dev/toolgate/examples"
	"toolgate.dev/toolgate/internal/cli"
)

// served is a gateway that `serve` runs, and where its log says that it is.
type served struct {
	Grpc, Admin string
	log         *lockedBuffer
	stop        context.CancelFunc
	code        chan int
}

// serve runs the command until stop or the test's end, and waits until its log
// says that it serves.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	return serveAs(t, cli.Program{}, args...)
}

func serveAs(t *testing.T, p cli.Program, args ...string) *served {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	read, write := io.Pipe()
	s := &served{log: newLockedBuffer(), stop: stop, code: make(chan int, 1)}
	go func() {
		p.Args, p.Stdout, p.Stderr = append([]string{"serve"}, args...), io.Discard, io.MultiWriter(write, s.log)
		code := cli.Run(ctx, p)
		_ = write.Close()
		s.code <- code
	}()
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		var entry struct{ Msg, Grpc, Admin string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving" {
			s.Grpc, s.Admin = entry.Grpc, entry.Admin
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	if s.Grpc == "" {
		t.Fatalf("it does not serve: %s", s.log)
	}
	t.Cleanup(stop)
	return s
}

func (s *served) ends(t *testing.T) int {
	t.Helper()
	s.stop()
	select {
	case code := <-s.code:
		return code
	case <-time.After(30 * time.Second):
		t.Fatal("it does not stop")
		return -1
	}
}

type lockedBuffer struct {
	mu   sync.Mutex // guards buf
	buf  bytes.Buffer
	more *sync.Cond // over mu
}

func newLockedBuffer() *lockedBuffer {
	b := &lockedBuffer{}
	b.more = sync.NewCond(&b.mu)
	return b
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.more.Broadcast()
	return b.buf.Write(p)
}

// waitFor returns once text was written.
func (b *lockedBuffer) waitFor(text string) { b.waitForSo(text, 1) }

// waitForSo returns once text was written so many times.
func (b *lockedBuffer) waitForSo(text string, many int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for strings.Count(b.buf.String(), text) < many {
		b.more.Wait()
	}
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestAServedCatalogueIsCalledByHand(t *testing.T) {
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	defer backends.Close()
	s := serve(t, "--catalog", write(t, backends.Catalog()), "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	for _, step := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"tools", "-o", "table"}, 0, "transfer_funds"},
		{[]string{"call", "list_invoices", "start_date=03/14/2026"}, 0, `"inv_3131"`},
		{[]string{"call", "list_invoices_untyped", "start_date=03/14/2026"}, 11, `"expected":"YYYY-MM-DD"`},
		{[]string{"call", "list_invoices", "--json", `{"start_date": `}, 11, `"error":"malformed_json"`},
		{[]string{"call", "list_invoice"}, 11, `"error":"unknown_tool"`},
		{[]string{"call", "book_slot", "practitioner_id=p_17", "start=2026-03-12T14:30:00Z"}, 12, `"alternatives":[`},
		{[]string{"call", "transfer_funds", "--run", "rent", "account_id=acc_1042", "to=acc_9000", "amount=150.00", "reference=r"}, 12, `"balance":42.10`},
		{[]string{"call", "request_deposit", "--run", "rent", "account_id=acc_1042", "amount=150"}, 0, `192.10`},
		{[]string{"call", "transfer_funds", "--run", "rent", "account_id=acc_1042", "to=acc_9000", "amount=150.00", "reference=r"}, 0, `"booked"`},
	} {
		got := run(t, cli.Program{}, append(step.args, "--gateway", s.Grpc)...)
		if got.code != step.code || !strings.Contains(got.out, step.out) {
			t.Errorf("%v: got %+v, want %d with %s", step.args, got, step.code, step.out)
		}
	}
	for path, holds := range map[string]string{"/healthz": "", "/metrics": "toolgate"} {
		response, err := http.Get("http://" + s.Admin + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK || !strings.Contains(string(body), holds) {
			t.Errorf("%s: %d %.200s", path, response.StatusCode, body)
		}
	}
	if code := s.ends(t); code != 0 {
		t.Errorf("it ended with %d: %s", code, s.log)
	}
	if log := s.log.String(); !strings.Contains(log, `"draining"`) || !strings.Contains(log, `"insufficient_funds"`) {
		t.Errorf("the log is %s", log)
	}
}

// The end of the context is SIGTERM: what is in flight still gets its outcome.
func TestACallInFlightOutlivesTheSignal(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	slow := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		_, _ = w.Write([]byte(`{"late":true}`))
	})}
	address := listen(t, slow)
	s := serve(t, "--catalog", write(t, "tools:\n  - name: slow\n    http: {method: GET, url: \"http://"+address+"/\"}\n"),
		"--listen", "127.0.0.1:0", "--admin-listen", "")
	called := make(chan ran, 1)
	go func() { called <- run(t, cli.Program{}, "call", "slow", "--gateway", s.Grpc) }()
	<-arrived
	s.stop()
	s.log.waitFor(`"draining"`)
	close(release)
	if got := <-called; got.code != 0 || got.out != `{"late":true}`+"\n" {
		t.Errorf("got %+v", got)
	}
	if code := s.ends(t); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

func TestServeRefusesWhatCannotWork(t *testing.T) {
	good := write(t, "tools:\n  - name: a\n    http: {method: GET, url: \"http://127.0.0.1:1/\"}\n")
	bad := write(t, "tools:\n  - name: a\n    efect: read\n    http: {method: GET, url: \"http://127.0.0.1:1/\"}\n")
	for _, tc := range []struct {
		name  string
		args  []string
		hints []string
	}{
		{"no catalogue", nil, []string{"which catalogue?", "--catalog FILE"}},
		{"no such file", []string{"--catalog", "/no/such.yaml"}, []string{"there is no file /no/such.yaml"}},
		{"a broken one", []string{"--catalog", bad}, []string{bad + ":3:5:", "efect: read", "did you mean effect?", "toolgate lint"}},
		{"strangers by accident", []string{"--catalog", good, "--listen", "0.0.0.0:0"}, []string{"not loopback"}},
		{"no address", []string{"--catalog", good, "--listen", "nowhere"}, []string{"host:port"}},
		{"no level", []string{"--catalog", good, "--log-level", "loud"}, []string{"debug, info, warn or error"}},
		{"no format", []string{"--catalog", good, "--log-format", "xml"}, []string{"json or text"}},
		{"a stray argument", []string{"catalog.yaml"}, []string{"takes no arguments"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := run(t, cli.Program{}, append([]string{"serve"}, tc.args...)...)
			if got.code != 1 {
				t.Errorf("got %+v", got)
			}
			for _, hint := range tc.hints {
				if !strings.Contains(got.err, hint) {
					t.Errorf("%q lacks %q", got.err, hint)
				}
			}
		})
	}
}

func TestTheDemoIsACommand(t *testing.T) {
	got := run(t, cli.Program{Terminal: true}, "demo")
	if got.code != 0 || !strings.Contains(got.out, "\x1b[1mWhat was counted\x1b[0m") || strings.Contains(got.out, "did not end as it must") {
		t.Errorf("got %+v", got)
	}
}

func TestTheEnvironmentNamesTheCatalogue(t *testing.T) {
	getenv := func(name string) string {
		return map[string]string{"TOOLGATE_CATALOG": os.DevNull + "/none"}[name]
	}
	if got := run(t, cli.Program{Getenv: getenv}, "serve"); got.code != 1 || !strings.Contains(got.err, os.DevNull+"/none") {
		t.Errorf("got %+v", got)
	}
}
