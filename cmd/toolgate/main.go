// Command toolgate is a gateway between agents and their tools, and what a
// person needs around it. `toolgate --help` lists the commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"toolgate.dev/toolgate/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	width, _, _ := term.GetSize(int(os.Stdout.Fd()))
	return cli.Run(ctx, cli.Program{
		Args:  os.Args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv:      os.Getenv,
		Terminal:    term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		Hangups:     hangups,
		KeepRunning: func() { signal.Ignore(syscall.SIGPIPE) },
		Width:       width,
	})
}

// hangups catches SIGHUP from now on.
func hangups() <-chan os.Signal {
	caught := make(chan os.Signal, 1) // one that waits says all that several would
	signal.Notify(caught, syscall.SIGHUP)
	return caught
}
