package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// serveFlags are how a gateway is run.
type serveFlags struct {
	command                string // that runs it
	catalog, listen, admin string
	http                   server.HTTP
	httpAsked              bool // or the default, which gives way
	state                  string
	stateWait              time.Duration
	connections            server.Connections
	anonymous, callsToAll  bool
	access                 accessFlags
	logLevel, logFormat    string
	logEvery               int
	maxInFlight            int
	drain, watch           time.Duration
}

func (s *session) serve() *cobra.Command {
	flags := serveFlags{command: "serve"}
	cmd := &cobra.Command{
		Use:   "serve --catalog FILE",
		Short: "Serve the tools of a catalogue",
		Long: "Serves the tools of a catalogue over gRPC, with health and reflection, and over HTTP as JSON,\n" +
			"Connect, gRPC-Web and MCP (docs/http.md), with metrics.\n" +
			"Logs go to standard error, one JSON object a line. SIGTERM or Ctrl-C drains: calls in flight\n" +
			"finish, then the program ends.\n\n" +
			"The catalogue and the files of its secrets are followed: what they hold serves as soon as it is\n" +
			"found twice the same, and at once on SIGHUP. A catalogue with a fault is refused, its faults are\n" +
			"logged, and the one before serves on.\n\n" +
			"Traces go to OTEL_EXPORTER_OTLP_ENDPOINT, if that is set (docs/tracing.md). The garbage collector runs\n" +
			"at GOGC=400 within 80 % of the memory, unless GOGC or GOMEMLIMIT are set.",
		Example: "  toolgate serve --catalog examples/catalog.yaml\n" +
			"  OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317 toolgate serve --catalog examples/catalog.yaml",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.httpAsked = cmd.Flags().Changed("http-listen")
			return s.runGateway(cmd.Context(), flags)
		},
	}
	flags.register(cmd, s.Getenv, "info")
	f := cmd.Flags()
	f.StringVar(&flags.listen, "listen", "127.0.0.1:7440", "address of the gateway; port 0 picks a free one")
	f.StringVar(&flags.admin, "admin-listen", "127.0.0.1:7441", "address of /metrics, /healthz and /calls; empty: off")
	f.StringVar(&flags.http.Listen, "http-listen", defaultHTTP, "address of the HTTP door; empty: off. The default is left out where it is taken")
	f.StringSliceVar(&flags.http.Origins, "http-origin", nil, "origin of web pages that may call, https://app.example; * for all (default: none)")
	f.StringSliceVar(&flags.http.Hosts, "http-host", nil, "name by which an HTTP door on loopback may be called, besides localhost; * for any")
	f.BoolVar(&flags.callsToAll, "calls-to-all", false, "let toolgate tail follow the calls from other machines; default: from this one")
	f.BoolVar(&flags.anonymous, "allow-anonymous", false, "serve callers whom nobody authenticated beyond loopback")
	flags.access.register(cmd, s.Getenv)
	f.IntVar(&flags.maxInFlight, "max-in-flight", 0, "calls in flight in this process (default 4096)")
	f.DurationVar(&flags.connections.MaxAge, "max-connection-age", 0, "when a client has to connect anew, so that new replicas get their share (default 30m; negative: never)")
	f.DurationVar(&flags.connections.Grace, "max-connection-grace", 0, "how long calls may still take on a connection that is too old (default 10m)")
	f.DurationVar(&flags.drain, "drain-timeout", 0, "how long a stop waits for calls in flight (default 60s)")
	return cmd
}

func (s *session) runGateway(ctx context.Context, flags serveFlags) error {
	if flags.catalog == "" {
		return usage("which catalogue?", "toolgate serve --catalog FILE; examples/catalog.yaml is one")
	}
	o, err := s.opening(flags)
	if err != nil {
		return err
	}
	defer o.close()
	config := o.config(flags)
	config.Listen, config.AllowAnonymous, config.CallsToAll = flags.listen, flags.anonymous, flags.callsToAll
	config.MaxInFlight, config.DrainTimeout, config.Connections = flags.maxInFlight, flags.drain, flags.connections
	if err := s.secure(config, &flags.access, o.log); err != nil {
		return err
	}
	defer flags.openHTTP(config)()
	defer s.tuneMemory()()
	gateway, end, err := s.start(ctx, config, flags)
	if err != nil {
		return err
	}
	defer end()
	if s.ErrTerminal {
		s.notef("serving %s on %s; Ctrl-C drains and stops", count(len(o.tools.Tools()), "tool"), addressesOf(gateway))
	}
	return s.serveAndWatch(ctx, gateway, o.file, flags.watch)
}

// serveAndWatch serves until ctx ends and has drained. The catalogue is followed
// until the drain begins.
func (s *session) serveAndWatch(ctx context.Context, gateway *server.Server, file *server.CatalogFile, every time.Duration) error {
	watching, stop := context.WithCancel(ctx)
	var hangups <-chan os.Signal
	if s.Hangups != nil {
		hangups = s.Hangups()
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		gateway.Watch(watching, file, every, hangups)
	}()
	err := gateway.Serve(ctx)
	stop()
	<-watched
	return err
}

// loadCatalog reads a catalogue and prints what is wrong with it.
func (s *session) loadCatalog(file *server.CatalogFile) (*catalog.Catalog, error) {
	tools, err := file.Load()
	var problems catalog.Problems
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("there is no file "+file.Path(), "--catalog names the YAML file with the tools")
	case errors.As(err, &problems):
		text, _ := os.ReadFile(file.Path()) // only to show the lines
		printProblems(s.Stderr, s.err, err, text)
		return nil, usage("the catalogue "+file.Path()+" can't be served", "mend what is named above; toolgate lint checks it without serving it")
	}
	return tools, err
}
