package chaos

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how long and how hard.
type Options struct {
	Toolgate, Toxiproxy string // the programs
	Redis               string // the folder of redis-server, if the system has none; empty: Toolgate's

	Calls   int           // at least so many; the faults go round until then
	Faults  []string      // names; empty: all
	Short   bool          // only the faults of the short form
	Lasts   time.Duration // of one fault; 0 means 5 s
	Mends   time.Duration // quiet time behind it; 0 means 2 s
	Bound   time.Duration // of the whole; 0 means 15 min
	Workers int           // calls in flight at most; 0 means 64
	Rate    int           // calls a second at most; 0 means 700

	Folder string // logs and records stay in it; empty: they don't stay
}

func (o *Options) complete() {
	set := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	if o.Redis == "" {
		o.Redis = filepath.Dir(o.Toolgate)
	}
	set(&o.Lasts, 5*time.Second)
	set(&o.Mends, 2*time.Second)
	set(&o.Bound, 15*time.Minute)
	if o.Workers <= 0 {
		o.Workers = 64
	}
	if o.Rate <= 0 {
		o.Rate = 700
	}
}

// Run breaks things until enough calls were made, and reports. The error says
// what kept the trial from happening; what the gateway did wrong is in the
// report.
func Run(ctx context.Context, options Options) (*Report, error) {
	options.complete()
	chosen, err := options.chosen()
	if err != nil {
		return nil, err
	}
	s, err := newStage(options)
	if err != nil {
		return nil, err
	}
	defer s.close()
	g := &game{stage: s, faults: chosen, stop: make(chan struct{})}
	if g.clients, err = newClients(s.addresses(), g.phase, g.leaves); err != nil {
		return nil, err
	}
	defer g.clients.conn.Close()
	if err := g.play(ctx); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, s.lastWords())
	}
	return g.report()
}

func (o *Options) chosen() ([]fault, error) {
	var chosen []fault
	for _, f := range faults() {
		wanted := len(o.Faults) == 0
		for _, name := range o.Faults {
			wanted = wanted || name == f.name
		}
		if wanted && (f.short || !o.Short) {
			chosen = append(chosen, f)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("there is no fault of these names: %v", o.Faults)
	}
	return chosen, nil
}

// game is one trial.
type game struct {
	stage   *stage
	clients *clients
	faults  []fault
	stop    chan struct{} // closed: no more calls
	phases  []phase
	now     atomic.Int64 // the index of the phase
	leaving atomic.Bool
	sent    atomic.Uint64
	struck  int // kinds
}

// phase is one fault's time.
type phase struct {
	Fault      string
	gentle     bool
	Begin, End time.Time
}

func (g *game) phase() int { return int(g.now.Load()) }

func (g *game) leaves() bool { return g.leaving.Load() && g.sent.Add(1)%4 == 0 }

// play makes calls while one fault after another strikes.
func (g *game) play(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, g.stage.options.Bound)
	defer cancel()
	var workers sync.WaitGroup
	workers.Go(g.pace)
	for n := range g.stage.options.Workers {
		workers.Go(func() { g.clients.work(n, g.stop) })
	}
	defer workers.Wait()
	defer close(g.stop)
	g.calm("(none)")
	for round := 0; round == 0 || g.clients.made() < g.stage.options.Calls; round++ {
		for _, f := range g.faults {
			if ctx.Err() != nil {
				return fmt.Errorf("the trial took longer than it may: %d calls in %v", g.clients.made(), g.stage.options.Bound)
			}
			if err := g.strike(f); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			if round > 0 && g.clients.made() >= g.stage.options.Calls {
				return nil
			}
		}
		g.struck = len(g.faults)
	}
	return nil
}

// pace lets calls begin, so many a second. What nobody could begin in time is
// not made up for.
func (g *game) pace() {
	const every = 5 * time.Millisecond
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	defer close(g.clients.turns)
	due := 0.0
	for {
		select {
		case <-ticks.C:
		case <-g.stop:
			return
		}
		for due += float64(g.stage.options.Rate) * every.Seconds(); due >= 1; due-- {
			select {
			case g.clients.turns <- struct{}{}:
			default:
			}
		}
	}
}

// calm is a phase in which nothing is broken.
func (g *game) calm(name string) {
	g.begin(name, false)
	time.Sleep(g.stage.options.Mends)
}

func (g *game) begin(name string, gentle bool) {
	if len(g.phases) > 0 {
		g.phases[len(g.phases)-1].End = time.Now()
	}
	g.phases = append(g.phases, phase{Fault: name, gentle: gentle, Begin: time.Now()})
	g.now.Store(int64(len(g.phases) - 1))
}

func (g *game) strike(f fault) error {
	g.begin(f.name, f.gentle)
	if f.blind {
		g.stage.lose()
	}
	g.leaving.Store(f.leave)
	if err := f.strike(g.stage); err != nil {
		return err
	}
	time.Sleep(g.stage.options.Lasts)
	if err := f.mend(g.stage); err != nil {
		return err
	}
	g.leaving.Store(false)
	if f.blind {
		g.stage.found()
	}
	time.Sleep(g.stage.options.Mends)
	return nil
}
