package monitoring

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

const (
	dashboard = "../../deploy/grafana/toolgate.json"
	rules     = "../../deploy/prometheus/toolgate.rules.yaml"

	scrapeEvery = 15 * time.Second
	scrapes     = 48 // twelve minutes
)

// Every query of the dashboard and every alert is asked of a fleet to which all
// happens that they speak of: none may be without an answer.
func TestADashboardAndItsAlertsFindWhatTheySpeakOf(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) { trouble(t, folder) })
	check(t, "-scrapes", folder, "-dashboard", dashboard, "-rules", rules)
}

func TestNoAlertFiresWhereNothingIsWrong(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) { peace(t, folder) })
	check(t, "-scrapes", folder, "-rules", rules, "-quiet")
}

// check runs tools/promcheck, which holds Prometheus' engine.
func check(t *testing.T, args ...string) {
	t.Helper()
	program, err := filepath.Abs("../../.bin/promcheck")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%s is missing: run `make peers`, which builds it (as `make test` and `make check` do)", program)
	}
	if output, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// target is a gateway that is scraped.
type target struct {
	*servertest.Gateway

	name   string
	folder string
	misses int // the scrape that is not answered; 0: none
}

// scrape writes what Prometheus would be answered now.
func (g target) scrape(t *testing.T) {
	t.Helper()
	families, err := g.Registry.Gather()
	if err != nil {
		t.Error(err)
	}
	var text strings.Builder
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			t.Error(err)
		}
	}
	g.write(t, text.String())
}

func (g target) write(t *testing.T, text string) {
	t.Helper()
	file := fmt.Sprintf("%d.%s.txt", time.Now().UnixMilli(), g.name)
	if err := os.WriteFile(filepath.Join(g.folder, file), []byte(text), 0o600); err != nil {
		t.Error(err)
	}
}

// state is a ledger whose server is there or not.
type state struct {
	*memory.Ledger

	connected bool
	lost      *atomic.Uint64
}

func (s state) Connected() bool { return s.connected }

// Absences grow as long as it is away: it comes for a moment, and is lost again.
func (s state) Absences() uint64 {
	if s.connected {
		return 0
	}
	return s.lost.Add(1)
}

func (s state) Follow(func(bool, error)) (stop func()) { return func() {} }

// start runs a gateway whose catalogue is read as `serve` reads it.
func start(t *testing.T, name, folder string, yaml string, up *servertest.Upstream, options ...servertest.Option) target {
	t.Helper()
	registry := prometheus.NewRegistry()
	read, err := server.CatalogOptions(registry, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.Parse(filepath.Join(folder, "c.yaml"), []byte(yaml), append(read, catalog.WithDial(up.Dial))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	own := func(config *server.Config) { config.Registry = registry }
	g := servertest.Start(t, tools, append([]servertest.Option{own}, options...)...)
	g.Registry = registry
	return target{Gateway: g, name: name, folder: folder}
}

// peace is a fleet that does its work.
func peace(t *testing.T, folder string) {
	up := servertest.NewUpstream(t, servertest.After(30*time.Millisecond, servertest.Respond(200, `{"items":[1]}`)))
	const tools = `tools: [{name: list, http: {method: GET, url: "http://crm.test/"}, input_schema: {type: object, properties: {since: {type: string, format: date}}}}]`
	connected := func(config *server.Config) { config.Ledger = state{memory.New(), true, &atomic.Uint64{}} }
	fleet := []target{start(t, "one:7441", folder, tools, up, connected), start(t, "two:7441", folder, tools, up, connected)}
	while(t, fleet, func(n int) {
		for _, g := range fleet {
			for call := range 5 {
				g.Call(t, fmt.Sprintf("run-%d", n), "list", []string{`{}`, `{"since":"03/14/2026"}`}[call%2])
			}
		}
		time.Sleep(scrapeEvery)
	})
}

// while has things happen as long as a fleet is scraped.
func while(t *testing.T, fleet []target, happens func(n int)) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for n := range scrapes {
			for _, g := range fleet {
				if g.misses == n && n > 0 {
					g.write(t, "")
					continue
				}
				g.scrape(t)
			}
			time.Sleep(scrapeEvery)
		}
	}()
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		default:
			happens(n)
		}
	}
}

// all runs calls at the same time.
func all(calls ...func()) {
	var running sync.WaitGroup
	for _, call := range calls {
		running.Go(call)
	}
	running.Wait()
}

// within makes a call of which nothing is expected but its end.
func within(t *testing.T, g target, patience time.Duration, run, tool, arguments string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, _ = g.Try(ctx, run, tool, arguments)
}
