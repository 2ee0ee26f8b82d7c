package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

const (
	reloadCalls   = 10_000
	reloadWorkers = 16
	reloadTools   = 4
)

// answered is what the back end of the reload test answers: where the call went.
type answered struct {
	Version int
	Tool, N string
}

// route answers /v3/t1?n=17 with what stands in it.
func route(w http.ResponseWriter, r *http.Request) {
	var version int
	var tool string
	if _, err := fmt.Sscanf(r.URL.Path, "/v%d/%s", &version, &tool); err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"version":%d,"tool":%q,"n":%q}`, version, tool, r.URL.Query().Get("n"))
}

// versionOf writes a catalogue whose tools go to /v<version>/<their name>. Every
// third version names its upstream otherwise, so that connections are retired.
func versionOf(version int, backend string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "upstreams:\n  u%d: {url: \"http://%s\"}\ntools:\n", version%3, backend)
	for i := range reloadTools {
		fmt.Fprintf(&text, "  - name: t%d\n    upstream: u%d\n    http: {method: GET, url: /v%d/t%d}\n", i, version%3, version, i)
		text.WriteString("    input_schema: {type: object, properties: {n: {type: string}}, required: [n], additionalProperties: false}\n")
	}
	return text.String()
}

// broken makes a catalogue that must be refused, each time otherwise.
func broken(kind int, text string) string {
	switch kind {
	case 0:
		return text[:len(text)-20] // cut while it was written
	case 1:
		return ""
	case 2:
		return strings.Replace(text, "input_schema", "input_shema", 1)
	case 3:
		return strings.Replace(text, "method: GET", "method: FETCH", 1)
	default:
		return text + "    http: {method: GET, url: /v0/t0, secret_headers: {A: {from: \"env:TOOLGATE_NO_SUCH\"}}}\n"
	}
}

// traffic is what runs while catalogues are swapped.
type traffic struct {
	t         *testing.T
	client    *toolgate.Client
	done      atomic.Int64 // calls
	confirmed atomic.Int64 // the version that later calls must have, or a later one
	written   atomic.Int64 // the latest good version in the file
}

// call makes one call and checks that it went where a catalogue of its time
// says.
func (tr *traffic) call(ctx context.Context, run string, n int) (version int64) {
	floor := tr.confirmed.Load()
	tool, mark := fmt.Sprintf("t%d", n%reloadTools), fmt.Sprintf("%s-%d", run, n)
	result, err := tr.client.Call(ctx, run, tool, map[string]string{"n": mark})
	if err != nil {
		tr.t.Errorf("lost: %s %s: %v", tool, mark, err)
		return floor
	}
	var went answered
	if err := json.Unmarshal([]byte(result.GetStructuredJson()), &went); err != nil {
		tr.t.Errorf("answered %q: %v", result.GetStructuredJson(), err)
	}
	version = int64(went.Version)
	if went.Tool != tool || went.N != mark || version < floor || version > tr.written.Load() {
		tr.t.Errorf("misrouted: %s %s of version %d or later went to %+v", tool, mark, floor, went)
	}
	tr.done.Add(1)
	return version
}

// swap puts a catalogue in the file's place, each time in another of the ways in
// which that is done.
func swap(t *testing.T, way int, file, text string, hangups chan<- os.Signal) {
	t.Helper()
	var err error
	switch way % 4 {
	case 0: // in place
		err = os.WriteFile(file, []byte(text), 0o600)
	case 1: // written beside and renamed
		if err = os.WriteFile(file+"~", []byte(text), 0o600); err == nil {
			err = os.Rename(file+"~", file)
		}
	case 2: // a link that turns
		version := fmt.Sprintf("%s.%d", file, way)
		if err = os.WriteFile(version, []byte(text), 0o600); err == nil {
			err = os.Symlink(version, file+"~")
		}
		if err == nil {
			err = os.Rename(file+"~", file)
		}
	case 3: // and a signal
		_ = os.Remove(file)
		err = os.WriteFile(file, []byte(text), 0o600)
		hangups <- syscall.SIGHUP
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestTenThousandCallsRunThroughTwentyReloads(t *testing.T) {
	backend := listen(t, &http.Server{Handler: http.HandlerFunc(route)})
	file := filepath.Join(t.TempDir(), "catalog.yaml")
	hangups := make(chan os.Signal, 1)
	swap(t, 0, file, versionOf(1, backend), hangups)
	s := serveAs(t, cli.Program{Hangups: func() <-chan os.Signal { return hangups }},
		"--catalog", file, "--watch-every", "5ms", "--log-every", "-1", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	client, err := toolgate.Dial(s.Grpc)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	tr := &traffic{t: t, client: client}
	tr.confirmed.Store(1)
	tr.written.Store(1)

	var next atomic.Int64
	var workers sync.WaitGroup
	for worker := range reloadWorkers {
		workers.Go(func() {
			for n := next.Add(1); n <= reloadCalls; n = next.Add(1) {
				tr.call(t.Context(), fmt.Sprintf("run-%d", worker), int(n))
			}
		})
	}
	version, bad := int64(1), 0
	for reload := 1; reload <= 20; reload++ {
		for tr.done.Load() < int64(reload)*reloadCalls/22 { // spread over the calls
			tr.call(t.Context(), "pacer", reload)
		}
		if reload%4 == 0 {
			refusals := strings.Count(s.log.String(), "catalogue refused")
			swap(t, reload+bad, file, broken(bad, versionOf(99, backend)), hangups)
			s.log.waitForSo("catalogue refused", refusals+1)
			bad++
			continue
		}
		version++
		tr.written.Store(version)
		swap(t, reload+bad, file, versionOf(int(version), backend), hangups)
		for tr.call(t.Context(), "prober", reload) < version {
		}
		tr.confirmed.Store(version)
	}
	workers.Wait()
	if version != 16 || bad != 5 || tr.done.Load() < reloadCalls {
		t.Errorf("%d good and %d bad catalogues, %d calls", version, bad, tr.done.Load())
	}
	if code := s.ends(t); code != 0 || strings.Contains(s.log.String(), `"tool call failed"`) {
		t.Errorf("it ended with %d: %s", code, s.log)
	}
}
