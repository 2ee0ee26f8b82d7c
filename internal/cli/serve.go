package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// serveFlags are how a gateway is run.
type serveFlags struct {
	catalog, listen, admin string
	anonymous              bool
	logLevel, logFormat    string
	logEvery               int
	maxInFlight            int
	drain                  time.Duration
}

func (s *session) serve() *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:   "serve --catalog FILE",
		Short: "Serve the tools of a catalogue",
		Long: "Serves the tools of a catalogue over gRPC, with health and reflection, and metrics over HTTP.\n" +
			"Logs go to standard error, one JSON object a line. SIGTERM or Ctrl-C drains: calls in flight\n" +
			"finish, then the program ends.",
		Example: "  toolgate serve --catalog examples/catalog.yaml",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.runGateway(cmd.Context(), flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.catalog, "catalog", s.Getenv("TOOLGATE_CATALOG"), "the catalogue; also TOOLGATE_CATALOG")
	f.StringVar(&flags.listen, "listen", "127.0.0.1:7440", "address of the gateway; port 0 picks a free one")
	f.StringVar(&flags.admin, "admin-listen", "127.0.0.1:7441", "address of /metrics and /healthz; empty: off")
	f.BoolVar(&flags.anonymous, "allow-anonymous", false, "serve callers whom nobody authenticated beyond loopback")
	f.StringVar(&flags.logLevel, "log-level", "info", "debug, info, warn or error")
	f.StringVar(&flags.logFormat, "log-format", "json", "json or text")
	f.IntVar(&flags.logEvery, "log-every", 0, "log one answered call in so many (default 100; negative: none); failed ones always")
	f.IntVar(&flags.maxInFlight, "max-in-flight", 0, "calls in flight in this process (default 4096)")
	f.DurationVar(&flags.drain, "drain-timeout", 0, "how long a stop waits for calls in flight (default 60s)")
	return cmd
}

func (s *session) runGateway(ctx context.Context, flags serveFlags) error {
	if flags.catalog == "" {
		return usage("which catalogue?", "toolgate serve --catalog FILE; examples/catalog.yaml is one")
	}
	log, err := s.logger(flags)
	if err != nil {
		return err
	}
	tools, err := s.loadCatalog(flags.catalog, log)
	if err != nil {
		return err
	}
	defer tools.Close()
	gateway, err := server.New(server.Config{
		Catalog: tools, Listen: flags.listen, AdminListen: flags.admin, AllowAnonymous: flags.anonymous,
		Logger: log, LogSampleEvery: flags.logEvery, MaxInFlight: flags.maxInFlight, DrainTimeout: flags.drain,
	})
	if err != nil {
		return usage(err.Error(), "see toolgate serve --help")
	}
	if s.ErrTerminal {
		s.notef("serving %s on %s; Ctrl-C drains and stops", count(len(tools.Tools()), "tool"), gateway.Addr())
	}
	return gateway.Serve(ctx)
}

// loadCatalog reads a catalogue and prints what is wrong with it.
func (s *session) loadCatalog(file string, log *slog.Logger) (*catalog.Catalog, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the file that the person named
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("there is no file "+file, "--catalog names the YAML file with the tools")
	}
	if err != nil {
		return nil, err
	}
	tools, err := catalog.Parse(file, text, catalog.WithVersion(moduleVersion()),
		catalog.WithFailedExpressions(func(tool, place, kind string) {
			// A key that is not there is how most rules do not match.
			log.Debug("an expression failed", slog.String("tool", tool), slog.String("place", place), slog.String("kind", kind))
		}))
	if err != nil {
		printProblems(s.Stderr, s.err, err, text)
		return nil, usage("the catalogue "+file+" can't be served", "mend what is named above; toolgate lint checks it without serving it")
	}
	return tools, nil
}

func (s *session) logger(flags serveFlags) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(flags.logLevel)); err != nil {
		return nil, usage(fmt.Sprintf("--log-level %s is not a level", flags.logLevel), "debug, info, warn or error")
	}
	options := &slog.HandlerOptions{Level: level}
	switch flags.logFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(s.Stderr, options)), nil
	case "text":
		return slog.New(slog.NewTextHandler(s.Stderr, options)), nil
	}
	return nil, usage(fmt.Sprintf("--log-format %s is not a format", flags.logFormat), "json or text")
}
