package server_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

const oneTool = "tools:\n  - {name: a, description: D1, http: {method: GET, url: \"http://127.0.0.1:1/\", secret_headers: {X-Key: {from: \"file:key\"}}}}\n"

// watched is a gateway that follows a file in a folder.
type watched struct {
	*servertest.Gateway
	folder string
	now    chan os.Signal
	t      *testing.T
}

// watch serves the catalogue c.yaml of a folder, in a bubble, and follows it.
func watch(t *testing.T, every time.Duration) *watched {
	t.Helper()
	w := &watched{folder: t.TempDir(), now: make(chan os.Signal, 1), t: t}
	w.write("key", "k1\n")
	w.write("c.yaml", oneTool)
	file := server.NewCatalogFile(filepath.Join(w.folder, "c.yaml"), "test")
	tools, err := file.Load()
	if err != nil {
		t.Fatal(err)
	}
	w.Gateway = servertest.Start(t, tools)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Server.Watch(ctx, file, every, w.now)
	}()
	t.Cleanup(func() {
		stop()
		<-done
		file.Close()
	})
	return w
}

func (w *watched) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// replace writes beside and renames over, as editors do.
func (w *watched) replace(name, text string) {
	w.t.Helper()
	w.write(name+"~", text)
	w.rename(name+"~", name)
}

func (w *watched) rename(from, to string) {
	w.t.Helper()
	if err := os.Rename(filepath.Join(w.folder, from), filepath.Join(w.folder, to)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) link(to, name string) {
	w.t.Helper()
	if err := os.Symlink(to, filepath.Join(w.folder, name)); err != nil {
		w.t.Fatal(err)
	}
}

// says waits for some looks and compares the description that serves.
func (w *watched) says(want string) {
	w.t.Helper()
	time.Sleep(3 * time.Second)
	synctest.Wait()
	if tool, _ := w.Server.Catalog().Lookup("a"); tool.Description != want {
		w.t.Errorf("serves %q, want %q", tool.Description, want)
	}
}

func described(text string) string { return strings.Replace(oneTool, "D1", text, 1) }

func TestACatalogueIsFollowedHoweverItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, 0)
		w.says("D1")
		w.write("c.yaml", described("in place"))
		w.says("in place")
		w.replace("c.yaml", described("replaced"))
		w.says("replaced")
		w.rename("c.yaml", "gone.yaml") // between the two steps of some editors
		w.says("replaced")
		w.write("c.yaml", described("back"))
		w.says("back")
	})
}

// Kubernetes writes each version of a ConfigMap into a folder of its own and
// turns the link ..data to it.
func TestALinkedCatalogueIsFollowedWhenTheLinkTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, 0)
		for _, version := range []string{"v1", "v2"} {
			if err := os.Mkdir(filepath.Join(w.folder, version), 0o700); err != nil {
				t.Fatal(err)
			}
			w.write(version+"/c.yaml", described(version))
		}
		w.link("v1", "..data")
		w.link("..data/c.yaml", "c.yaml~")
		w.rename("c.yaml~", "c.yaml")
		w.says("v1")
		w.link("v2", "..data~")
		w.rename("..data~", "..data")
		w.says("v2")
	})
}

func TestABadCatalogueIsRefusedOnceAndTheOneBeforeServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, 0)
		w.write("c.yaml", strings.Replace(oneTool, "description", "descr1ption", 1))
		w.says("D1")
		log := w.Log()
		if strings.Count(log, `"catalogue refused, the one before serves on"`) != 1 || !strings.Contains(log, "c.yaml:2:15: tools[0]: unknown key") ||
			!strings.Contains(log, "did you mean description?") {
			t.Errorf("the log is %s", log)
		}
		if err := testutil.GatherAndCompare(w.Registry, strings.NewReader(`
			# HELP toolgate_catalogue_refused 1 while the latest catalogue was refused and an older one serves.
			# TYPE toolgate_catalogue_refused gauge
			toolgate_catalogue_refused 1
		`), "toolgate_catalogue_refused"); err != nil {
			t.Error(err)
		}
		w.write("c.yaml", described("mended"))
		w.says("mended")
		w.write("c.yaml", described("mended")+"# a remark\n")
		w.says("mended")
		version := w.Server.Catalog().Version()
		if err := testutil.GatherAndCompare(w.Registry, strings.NewReader(`
			# HELP toolgate_catalogue_info The catalogue that serves, by its version; always 1.
			# TYPE toolgate_catalogue_info gauge
			toolgate_catalogue_info{version="`+version+`"} 1
			# HELP toolgate_catalogue_refused 1 while the latest catalogue was refused and an older one serves.
			# TYPE toolgate_catalogue_refused gauge
			toolgate_catalogue_refused 0
			# HELP toolgate_catalogue_reloads_total Reloads of the catalogue: swapped, unchanged (nothing that a call would notice), refused (the one before serves on).
			# TYPE toolgate_catalogue_reloads_total counter
			toolgate_catalogue_reloads_total{outcome="refused"} 1
			toolgate_catalogue_reloads_total{outcome="swapped"} 1
			toolgate_catalogue_reloads_total{outcome="unchanged"} 1
		`), "toolgate_catalogue_info", "toolgate_catalogue_refused", "toolgate_catalogue_reloads_total"); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatAnEditorIsStillWritingIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, time.Second)
		time.Sleep(time.Second / 2)
		for i := range 5 { // each look finds something else, valid as it is
			w.write("c.yaml", described(strings.Repeat("x", i+1)))
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if tool, _ := w.Server.Catalog().Lookup("a"); tool.Description != "D1" {
			t.Errorf("serves %q while it was being written", tool.Description)
		}
		w.says("xxxxx")
	})
}

func TestASecretThatChangedIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, 0)
		before := w.Server.Catalog().Version()
		w.replace("key", "k2\n")
		w.says("D1")
		if w.Server.Catalog().Version() == before || !strings.Contains(w.Log(), `"changed":["a: secrets"]`) || strings.Contains(w.Log(), "k2") {
			t.Errorf("the log is %s", w.Log())
		}
		if err := os.Remove(filepath.Join(w.folder, "key")); err != nil {
			t.Fatal(err)
		}
		w.says("D1")
		if !strings.Contains(w.Log(), "catalogue refused") {
			t.Error("a catalogue without its secret is not refused")
		}
		w.write("key", "k3\n") // no word of the catalogue changed
		w.says("D1")
		if n := strings.Count(w.Log(), `"catalogue reloaded"`); n != 2 {
			t.Errorf("reloaded %d times, want 2", n)
		}
	})
}

func TestAHangupReadsAtOnceAndAloneWhereNobodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, -1)
		w.write("c.yaml", described("D2"))
		w.says("D1")
		w.now <- syscall.SIGHUP
		synctest.Wait()
		w.says("D2")
		for _, part := range []string{`"changed":["a: description"]`, `"added":null`} {
			if !strings.Contains(w.Log(), part) {
				t.Errorf("the log lacks %s: %s", part, w.Log())
			}
		}
	})
}

func TestWhatACatalogueFindsAtRunTimeIsCountedAndLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, log := prometheus.NewRegistry(), &strings.Builder{}
		options, err := server.CatalogOptions(registry, slog.New(slog.NewJSONHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		up := servertest.NewUpstream(t, servertest.Respond(400, `{}`))
		g := servertest.Start(t, servertest.Load(t, `
upstreams: {api: {url: http://upstream.test}}
tools:
  - {name: a, upstream: api, http: {method: GET, url: /a}, errors: [{when: body.gone == 1, class: terminal}]}
  - {name: b, function: {}}
`, up, append(options, catalog.WithFunction("b", func(context.Context, json.RawMessage) (any, error) {
			panic("swordfish")
		}))...))
		g.Call(t, "r", "a", `{}`)
		g.Call(t, "r", "b", `{}`)
		if err := testutil.GatherAndCompare(registry, strings.NewReader(`
			# HELP toolgate_failed_expressions_total CEL expressions of the catalogue that failed and therefore did not match, by kind; missing_key is how most rules do not match.
			# TYPE toolgate_failed_expressions_total counter
			toolgate_failed_expressions_total{kind="missing_key",place="errors[0].when",tool="a"} 1
		`), "toolgate_failed_expressions_total"); err != nil {
			t.Error(err)
		}
		if !strings.Contains(log.String(), `"panic in a Go function"`) || !strings.Contains(log.String(), "reload_watch_test.go") || strings.Contains(log.String(), "swordfish") {
			t.Errorf("the log is %s", log)
		}
	})
}
