package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

const (
	slots       = 32
	serviceTime = 50 * time.Millisecond
	capacity    = float64(slots) * float64(time.Second) / float64(serviceTime) // calls per second
	inFlight    = slots + slots/2
	worstRatio  = 3.0 // p99 of admitted calls at 2x overload, to the unloaded p99
)

func main() {
	program := flag.String("toolgate", ".bin/toolgate", "the gateway's program")
	stage := flag.Duration("stage", 6*time.Second, "length of one stage")
	file := flag.String("out", ".cache/load.json", "where the figures go")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *program, *stage, *file)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program string, length time.Duration, file string) error {
	back := startBackend()
	defer back.Close()
	gate, err := startGateway(ctx, program, back.URL)
	if err != nil {
		return err
	}
	defer gate.stop()
	if _, err := gate.drive(ctx, 0.1, length/2); err != nil { // connections and code get warm
		return err
	}
	var stages []figures
	for _, share := range []float64{0.1, 0.5, 0.9, 1.2, 1.5, 2, 3} {
		seen, err := gate.drive(ctx, share, length)
		if err != nil {
			return err
		}
		if len(stages) == 0 {
			printHead()
		}
		seen.print()
		stages = append(stages, seen)
	}
	if err := write(file, stages); err != nil {
		return err
	}
	return verdict(stages)
}

func write(file string, stages []figures) error {
	data, err := json.MarshalIndent(stages, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o600)
}

// verdict holds the run against what is promised.
func verdict(stages []figures) error {
	unloaded := stages[0]
	var doubled figures
	failed, refusedBelow := 0, 0
	for _, s := range stages {
		failed += s.Failed
		if s.Load < 1 {
			refusedBelow += s.Refused
		}
		if s.Load == 2 {
			doubled = s
		}
	}
	ratio := doubled.P99.Seconds() / unloaded.P99.Seconds()
	fmt.Printf("load: capacity=%.0f p99_unloaded=%.1fms p99_at_2x=%.1fms ratio=%.2f refused_at_2x=%d failed=%d\n",
		capacity, milliseconds(unloaded.P99), milliseconds(doubled.P99), ratio, doubled.Refused, failed)
	switch {
	case failed > 0:
		return fmt.Errorf("%d calls failed otherwise than by an early refusal", failed)
	case doubled.Refused == 0:
		return errors.New("twice the capacity was offered and nothing was refused")
	case ratio > worstRatio:
		return fmt.Errorf("admitted calls took %.2f times the unloaded p99 at twice the capacity; at most %.0f is promised", ratio, worstRatio)
	}
	return nil
}
