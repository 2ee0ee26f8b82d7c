package cli_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"toolgate.dev/toolgate/examples"
	"toolgate.dev/toolgate/internal/cli"
	"toolgate.dev/toolgate/internal/redistest"
)

func TestReplicasShareTheStateThatTheyAreGiven(t *testing.T) {
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		t.Fatal(err)
	}
	defer backends.Close()
	redis := redistest.Start(t)
	catalog := write(t, backends.Catalog())
	flagged := serve(t, "--catalog", catalog, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--state", redis.URL)
	named := serveAs(t, cli.Program{Getenv: func(name string) string {
		return map[string]string{"TOOLGATE_STATE": redis.URL}[name]
	}}, "--catalog", catalog, "--listen", "127.0.0.1:0", "--admin-listen", "")
	args := []string{"call", "list_invoices_untyped", "start_date=03/14/2026", "--run", "shared", "--gateway"}
	for range 2 {
		for _, s := range []*served{flagged, named} {
			run(t, cli.Program{}, append(args, s.Grpc)...)
		}
	}
	if got := run(t, cli.Program{}, append(args, named.Grpc)...); !strings.Contains(got.out, "rejection_cap") {
		t.Errorf("four rejections through two replicas, then %+v", got)
	}
	body := get(t, "http://"+flagged.Admin+"/metrics")
	if !strings.Contains(body, "toolgate_state_connected 1") {
		t.Errorf("the metrics say nothing of the state")
	}
	for _, s := range []*served{flagged, named} {
		if code := s.ends(t); code != 0 {
			t.Errorf("it ended with %d: %s", code, s.log)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestAStateThatCannotBeIsAMistakeWithoutItsPassword(t *testing.T) {
	catalog := write(t, "tools:\n  - name: find\n    http: {method: GET, url: \"http://127.0.0.1:1/\"}\n")
	got := run(t, cli.Program{}, "serve", "--catalog", catalog, "--state", "redis://ann:hunter2@h:port")
	if got.code != 1 || !strings.Contains(got.err, "docs/state.md") || strings.Contains(got.err, "hunter2") {
		t.Errorf("got %+v", got)
	}
}

func TestTheWaitForTheStateIsSettable(t *testing.T) {
	catalog := write(t, "tools: [{name: a, http: {method: GET, url: \"http://127.0.0.1:1/\"}}]\n")
	for _, wait := range []string{"0s", "-5ms"} {
		got := run(t, cli.Program{}, "serve", "--catalog", catalog, "--state", "redis://127.0.0.1:1", "--state-wait", wait)
		if got.code != 1 || !strings.Contains(got.err, "--state-wait") || !strings.Contains(got.err, "50ms") {
			t.Errorf("%s: got %+v", wait, got)
		}
	}
	if got := run(t, cli.Program{}, "serve", "--help"); !strings.Contains(got.out, "--state-wait") || !strings.Contains(got.out, "(default 50ms)") {
		t.Errorf("the help says nothing of it: %s", got.out)
	}
	server := redistest.Start(t) // nothing answers within a nanosecond
	s := serve(t, "--catalog", catalog, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--state", server.URL, "--state-wait", "1ns")
	if metrics := get(t, "http://"+s.Admin+"/metrics"); !strings.Contains(metrics, "toolgate_state_connected 0") {
		t.Error("it waits longer than it was told")
	}
	if code := s.ends(t); code != 0 {
		t.Errorf("it ended with %d: %s", code, s.log)
	}
}
