// Command run is `make chaos`: it breaks everything around three replicas of the
// gateway and exits with 1 unless no call was lost and none doubled.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"toolgate.dev/toolgate/test/chaos"
)

func main() {
	if chaos.IsBackend() {
		fmt.Fprintln(os.Stderr, chaos.ServeBackend())
		os.Exit(1) //nolint:forbidigo // a program
	}
	var o chaos.Options
	var only, out string
	flag.StringVar(&o.Toolgate, "toolgate", ".bin/toolgate", "the gateway's program")
	flag.StringVar(&o.Toxiproxy, "toxiproxy", ".bin/toxiproxy", "toxiproxy's server")
	flag.StringVar(&out, "out", "", "file of the figures")
	flag.StringVar(&only, "faults", "", "these kinds alone, divided by commas")
	flag.IntVar(&o.Calls, "calls", 100_000, "at least so many calls")
	flag.StringVar(&o.Folder, "keep", "", "keep logs and records in this folder")
	flag.DurationVar(&o.Lasts, "lasts", 5*time.Second, "how long a fault lasts")
	flag.IntVar(&o.Workers, "workers", 64, "calls in flight at most")
	flag.IntVar(&o.Rate, "rate", 700, "calls a second at most")
	flag.Parse()
	if only != "" {
		o.Faults = strings.Split(only, ",")
	}
	os.Exit(run(o, out)) //nolint:forbidigo // a program
}

func run(o chaos.Options, out string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := chaos.Run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if out != "" {
		text, _ := json.MarshalIndent(report, "", "  ") //nolint:errchkjson // numbers are finite
		if err := os.WriteFile(out, append(text, '\n'), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	report.Print(os.Stdout)
	if report.Failed() {
		return 1
	}
	return 0
}
