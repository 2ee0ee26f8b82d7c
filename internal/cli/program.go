package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// Program is one invocation.
type Program struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string // nil: an empty environment
	// Terminal reports that Stdout is a terminal; ErrTerminal the same of Stderr,
	// InTerminal of Stdin.
	Terminal, ErrTerminal, InTerminal bool
	// Hangups subscribes to SIGHUP, which has `serve` read its catalogue again; nil:
	// it never comes. Every other command keeps what a hangup does to it.
	Hangups func() <-chan os.Signal
	// KeepRunning has the program outlive the reader of its output, from then on:
	// `serve` asks for it, since calls are in flight. nil: it does so anyhow.
	KeepRunning func()
	// Width is the terminal's, in columns; 0 means 100.
	Width int
}

// The exit codes. A tool's failure exits with its class.
const (
	exitOK             = 0
	exitFailure        = 1 // the gateway, or the way the program was called
	exitTransient      = 10
	exitInvalidRequest = 11
	exitTerminal       = 12
)

// Run runs one command and returns its exit code. It returns when the command
// is done or ctx ends, and leaves nothing running.
func Run(ctx context.Context, p Program) int {
	if p.Getenv == nil {
		p.Getenv = func(string) string { return "" }
	}
	if p.Width <= 0 {
		p.Width = 100
	}
	s := &session{Program: p, out: newPalette(p, p.Terminal), err: newPalette(p, p.ErrTerminal)}
	root := s.root()
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	return s.exit(root.ExecuteContext(ctx))
}

// session is what the commands of one invocation share.
type session struct {
	Program
	out, err palette
	gateway  string // --gateway
}

func (s *session) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "toolgate",
		Short: "A gateway between agents and their tools that says what to do next",
		Long: "toolgate runs the tool calls of agents and answers every failed one with its class:\n" +
			"transient (wait), invalid_request (change the arguments), terminal (this call is over).",
		SuggestionsMinimumDistance: 2,
		SilenceErrors:              true,
		SilenceUsage:               true,
		Args:                       knownCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = buildVersion()
	root.SetVersionTemplate("toolgate {{.Version}}\n")
	root.PersistentFlags().StringVar(&s.gateway, "gateway", s.defaultGateway(), "address of the gateway; also TOOLGATE_GATEWAY")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(err.Error(), fmt.Sprintf("see %s --help", cmd.CommandPath()))
	})
	root.AddCommand(s.serve(), s.mcp())
	root.AddCommand(s.tools(), s.call(), s.tail(), s.report(), s.lint(), s.check(), s.imports(), s.access(), s.catalogSchema(), s.explain(), s.demo(), s.version())
	return root
}

// knownCommand refuses what is no command, and names the nearest that is.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	next := "toolgate --help lists the commands"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		next = fmt.Sprintf("did you mean toolgate %s? %s", near[0], next)
	}
	return usage(fmt.Sprintf("there is no command %q", args[0]), next)
}

func (s *session) defaultGateway() string {
	if address := s.Getenv("TOOLGATE_GATEWAY"); address != "" {
		return address
	}
	return "127.0.0.1:7440"
}

// exit reports an error and turns it into an exit code.
func (s *session) exit(err error) int {
	var failed exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &failed):
		return failed.code
	}
	fmt.Fprintf(s.Stderr, "%s %s\n", s.err.bad("toolgate:"), err)
	var wrong *usageError
	if errors.As(err, &wrong) && wrong.next != "" {
		fmt.Fprintf(s.Stderr, "  %s\n", s.err.dim(wrong.next))
	}
	return exitFailure
}

// exitError ends the program with a code; what there was to say has been said.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// usageError is an error of the person who called, with what to do next.
type usageError struct{ problem, next string }

func (e *usageError) Error() string { return e.problem }

func usage(problem, next string) error { return &usageError{problem: problem, next: next} }
