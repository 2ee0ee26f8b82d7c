// Command toolgate-conformance plays the vectors of conformance/*.yaml through
// the executors of the SDKs, each against a gateway that it starts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"toolgate.dev/toolgate/conformance/runner"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	options := runner.Options{Out: os.Stdout}
	flags := flag.NewFlagSet("toolgate-conformance", flag.ContinueOnError)
	flags.StringVar(&options.Gateway, "gateway", ".bin/toolgate", "the `program` that serves")
	flags.StringVar(&options.Vectors, "vectors", "conformance", "the `folder` of the vectors")
	flags.StringVar(&options.Baselines, "baselines", "proto/baseline", "the `folder` of the contract's releases")
	flags.StringVar(&options.Known, "known-failures", "conformance/known-failures.txt", "the `file` of known failures, a `name: vector` a line")
	flags.BoolVar(&options.Show, "show", false, "print what came of each step")
	flags.Func("only", "play the vectors whose names match this `expression`", func(text string) (err error) {
		options.Only, err = regexp.Compile(text)
		return err
	})
	flags.Func("executor", "`name=command`, an SDK and the program that plays it; as often as wanted", func(text string) error {
		name, command, ok := strings.Cut(text, "=")
		if !ok || name == "" || command == "" {
			return errors.New("name=command is wanted")
		}
		options.Executors = append(options.Executors, runner.Executor{Name: name, Command: strings.Fields(command)})
		return nil
	})
	if err := flags.Parse(os.Args[1:]); err != nil {
		return 2
	}
	err := runner.Run(ctx, options)
	if err != nil && !errors.Is(err, runner.ErrFailed) {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil {
		return 1
	}
	return 0
}
