package cli

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/server"
)

func (s *session) mcp() *cobra.Command {
	flags := serveFlags{command: "mcp"}
	cmd := &cobra.Command{
		Use:   "mcp --catalog FILE",
		Short: "Serve the tools of a catalogue as an MCP server over standard input and output",
		Long: "Serves the tools of a catalogue to one client of the Model Context Protocol, which starts this program\n" +
			"and talks to its standard input and output. No port is opened. The client's run ends with it.\n\n" +
			"Logs go to standard error: what went wrong, or more with --log-level info. The catalogue is followed,\n" +
			"as by `toolgate serve`, and the client is told when its tools have changed.\n\n" +
			"For many clients, run `toolgate serve`: its HTTP door has MCP at /mcp.",
		Example: "  toolgate mcp --catalog examples/catalog.yaml\n" +
			`  {"mcpServers": {"tools": {"command": "toolgate", "args": ["mcp", "--catalog", "/etc/toolgate/catalog.yaml"]}}}`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.runMCP(cmd.Context(), flags) },
	}
	flags.register(cmd, s.Getenv, "warn")
	cmd.Flags().StringVar(&flags.admin, "admin-listen", "", "address of /metrics, /healthz and /calls (default: off)")
	return cmd
}

func (s *session) runMCP(ctx context.Context, flags serveFlags) error {
	if flags.catalog == "" {
		return usage("which catalogue?", "toolgate mcp --catalog FILE; examples/catalog.yaml is one")
	}
	o, err := s.opening(flags)
	if err != nil {
		return err
	}
	defer o.close()
	config := o.config(flags)
	config.Listener = newNowhere()
	gateway, end, err := s.start(ctx, config, flags)
	if err != nil {
		return err
	}
	defer end()
	if s.InTerminal && s.ErrTerminal {
		s.notef("an MCP client is meant to start this and to talk to it, a message a line; Ctrl-C ends it")
	}
	return s.talk(ctx, gateway, o.file, flags)
}

// talk serves the client until it is gone. The gateway behind serves nobody else.
func (s *session) talk(ctx context.Context, gateway *server.Server, file *server.CatalogFile, flags serveFlags) error {
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- s.serveAndWatch(serving, gateway, file, flags.watch) }()
	err := gateway.MCP().ServeStdio(ctx, s.Stdin, s.Stdout)
	stop()
	return errors.Join(err, <-served)
}

// nowhere is a listener that nobody can connect to: the only door is standard
// input.
type nowhere struct {
	closed chan struct{}
	close  sync.Once
}

func newNowhere() *nowhere { return &nowhere{closed: make(chan struct{})} }

// Accept implements net.Listener.
func (n *nowhere) Accept() (net.Conn, error) {
	<-n.closed
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (n *nowhere) Close() error {
	n.close.Do(func() { close(n.closed) })
	return nil
}

// Addr implements net.Listener.
func (*nowhere) Addr() net.Addr { return nowhereAddr{} }

type nowhereAddr struct{}

func (nowhereAddr) Network() string { return "none" }
func (nowhereAddr) String() string  { return "none" }
