// Command throughput measures toolgate against a direct call and against a bare
// hop, side by side on one machine.
//
// Four processes: this one makes the calls, and there are a back end, the bare
// hop and the gateway as it is built, with every room on. Three ways to the back
// end are tried in turns (A-B-T-T-B-A, so that a drift of the machine hits all
// alike), for each size of arguments and each number of callers:
//
//	A  net/http client → back end
//	B  gRPC client → bare hop → back end
//	T  gRPC client → toolgate → back end
//
// A ratio is that of calls per second within one round; higher is better, and
// 1.00 is as fast. All processes share the machine's cores, so that what a client
// costs counts, too. Every reply is checked.
//
// The last line holds the medians at 64 callers, for a script to read.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

func run() error {
	var p plan
	flag.StringVar(&p.gateway, "toolgate", ".bin/toolgate", "the gateway's program")
	flag.StringVar(&p.hop, "barehop", ".bin/barehop", "the bare hop's program")
	flag.StringVar(&p.backend, "backend", ".bin/backend", "the back end's program")
	flag.IntVar(&p.rounds, "rounds", 7, "rounds of each case")
	flag.DurationVar(&p.sample, "sample", 300*time.Millisecond, "how long one sample is")
	flag.DurationVar(&p.warm, "warm", 60*time.Millisecond, "how long calls are made before it counts")
	flag.BoolVar(&p.quick, "quick", false, "64 callers alone")
	only := flag.String("only", "", "sample this way alone, A, B or T, at 64 callers: for a profile")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	stage, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer stage.close()
	if *only != "" {
		return stage.alone(ctx, p, *only)
	}
	results, err := stage.measure(ctx, p)
	if err != nil {
		return err
	}
	report(os.Stdout, p, results)
	return nil
}
