package main

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// figures are what one stage came to.
type figures struct {
	Load     float64       `json:"load"`     // offered, as a share of the capacity
	Offered  int           `json:"offered"`  // calls
	Admitted int           `json:"admitted"` // calls that got a result
	Refused  int           `json:"refused"`  // RESOURCE_EXHAUSTED with RetryInfo
	Failed   int           `json:"failed"`   // anything else
	P50      time.Duration `json:"p50"`      // of admitted calls
	P99      time.Duration `json:"p99"`
	Refusal  time.Duration `json:"refusal_p99"` // of refused calls
}

func printHead() {
	fmt.Printf("%8s %9s %9s %9s %8s %9s %9s %12s\n", "load", "offered", "admitted", "refused", "failed", "p50 ms", "p99 ms", "refusal ms")
}

func (f figures) print() {
	fmt.Printf("%7.1fx %9d %9d %9d %8d %9.1f %9.1f %12.1f\n", f.Load, f.Offered, f.Admitted, f.Refused, f.Failed,
		milliseconds(f.P50), milliseconds(f.P99), milliseconds(f.Refusal))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// recorder collects the ends of calls. It is safe for concurrent use.
type recorder struct {
	mu       sync.Mutex // guards the rest
	admitted []time.Duration
	refused  []time.Duration
	failed   int
}

func (r *recorder) note(took time.Duration, end ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch end {
	case answered:
		r.admitted = append(r.admitted, took)
	case refused:
		r.refused = append(r.refused, took)
	default:
		r.failed++
	}
}

func (r *recorder) figures(load float64, offered int) figures {
	r.mu.Lock()
	defer r.mu.Unlock()
	return figures{
		Load: load, Offered: offered, Admitted: len(r.admitted), Refused: len(r.refused), Failed: r.failed,
		P50: quantile(r.admitted, 0.50), P99: quantile(r.admitted, 0.99), Refusal: quantile(r.refused, 0.99),
	}
}

func quantile(took []time.Duration, q float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[min(len(took)-1, int(q*float64(len(took))))]
}
