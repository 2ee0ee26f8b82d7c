package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/internal/cli/demo"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// demoTimeout ends a demo that hangs.
const demoTimeout = 20 * time.Second

func (s *session) demo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Play four stories against real back ends, beside a naive stack",
		Long: "Starts the example back ends and a gateway on free loopback ports, lets a scripted agent live\n" +
			"through the four stories, and prints a transcript and what was counted. It ends by itself and\n" +
			"leaves nothing running; the exit code is 1 if a story did not end as it must.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), demoTimeout)
			defer cancel()
			play := demo.Demo{
				Out: s.Stdout, Start: startGateway,
				Style: demo.Style{Bold: s.out.bold, Dim: s.out.dim, Good: s.out.good, Bad: s.out.bad},
			}
			_, err := play.Play(ctx)
			return err
		},
	}
}

// startGateway serves a catalogue on a free loopback port until stop is called.
func startGateway(text string) (address string, stop func() error, err error) {
	tools, err := catalog.Parse("catalog.yaml", []byte(text))
	if err != nil {
		return "", nil, err
	}
	gateway, err := server.New(server.Config{Catalog: tools, Listen: "127.0.0.1:0", DrainTimeout: time.Second})
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- gateway.Serve(ctx) }()
	return gateway.Addr(), func() error {
		cancel()
		defer tools.Close()
		if err := <-served; err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the gateway: %w", err)
		}
		return nil
	}, nil
}
