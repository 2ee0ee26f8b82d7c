package cli

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/internal/ledger/redis"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// register names the flags that every gateway has that a command runs; level is what
// is logged by default.
func (f *serveFlags) register(cmd *cobra.Command, getenv func(string) string, level string) {
	flags := cmd.Flags()
	flags.StringVar(&f.catalog, "catalog", getenv("TOOLGATE_CATALOG"), "the catalogue; also TOOLGATE_CATALOG")
	flags.StringVar(&f.state, "state", "", "Redis or Valkey that replicas share, redis://host:6379; also TOOLGATE_STATE (default: this process alone)")
	flags.DurationVar(&f.stateWait, "state-wait", redis.DefaultWait, "how long a call waits for one answer of it before this process remembers alone")
	flags.StringVar(&f.logLevel, "log-level", level, "debug, info, warn or error")
	flags.StringVar(&f.logFormat, "log-format", "json", "json or text")
	flags.IntVar(&f.logEvery, "log-every", 0, "log one answered call in so many (default 100; negative: none); failed ones always")
	flags.DurationVar(&f.watch, "watch-every", 0, "how often to look whether the catalogue changed (default 1s; negative: only on SIGHUP)")
}

// opening is what every gateway that a command runs begins with: metrics, a log, and
// a catalogue that is followed.
type opening struct {
	registry *prometheus.Registry
	log      *slog.Logger
	file     *server.CatalogFile
	tools    *catalog.Catalog
	endLog   func()
}

// opening opens the log and loads the catalogue. close has to be called, unless there
// is an error.
func (s *session) opening(flags serveFlags) (*opening, error) {
	registry := prometheus.NewRegistry()
	log, endLog, err := s.openLog(flags, registry)
	if err != nil {
		return nil, err
	}
	options, err := server.CatalogOptions(registry, log)
	if err != nil {
		endLog()
		return nil, err
	}
	o := &opening{registry: registry, log: log, endLog: endLog, file: server.NewCatalogFile(flags.catalog, moduleVersion(), options...)}
	if o.tools, err = s.loadCatalog(o.file); err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// close ends them; the log is the last to end.
func (o *opening) close() {
	o.file.Close()
	o.endLog()
}

// config is what flags say of every such gateway.
func (o *opening) config(flags serveFlags) *server.Config {
	return &server.Config{
		Catalog: o.tools, Registry: o.registry, Logger: o.log,
		AdminListen: flags.admin, LogSampleEvery: flags.logEvery, Version: moduleVersion(),
	}
}

// start makes the gateway of config, to which it adds the state that replicas share,
// and traces. end has to be called, unless there is an error.
func (s *session) start(ctx context.Context, config *server.Config, flags serveFlags) (gateway *server.Server, end func(), err error) {
	endState, err := s.shareState(config, flags)
	if err != nil {
		return nil, nil, err
	}
	endTraces, err := s.trace(ctx, config, config.Logger)
	if err != nil {
		endState()
		return nil, nil, err
	}
	end = func() { endTraces(); endState() }
	if gateway, err = server.New(*config); err != nil {
		end()
		return nil, nil, usage(err.Error(), "see toolgate "+flags.command+" --help")
	}
	return gateway, end, nil
}
