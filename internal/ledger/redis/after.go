package redis

import (
	"context"
	"strconv"
	"sync"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// followed gathers what follows the calls of one rpc, so that it is one message
// for the server, and nobody waits for it. Its view's lock does not guard it.
type followed struct {
	view *view

	mu    sync.Mutex // guards the rest
	batch batch
	timer *time.Timer
}

// batch is one message of steps.
type batch struct {
	args []string
	keys []string // of call ids, behind the run's own
	ends []*ending
}

// step is one thing that follows a call: its letter and arguments as after.lua
// has them. A step on a call id names its key.
type step struct {
	args []string
	key  string
	end  *ending // that the step tells; nil: another kind of step
}

// timing is when a step has to be with the server.
type timing int

const (
	withTheEnd timing = iota // when the call's end is written, or soon
	atOnce                   // as soon as can be; nobody waits
	beforeGoingOn
)

// follow has a step written after the call. Only beforeGoingOn waits, and returns
// an error where the server could not be told.
func (l *Ledger) follow(ctx context.Context, run interceptors.RunKey, s step, when timing) error {
	v := l.viewOf(ctx, run)
	if v == nil {
		names, alone := l.namesOf(run), batch{}
		alone.add(s)
		return l.write(ctx, &names, alone)
	}
	v.followed.add(s)
	switch when {
	case beforeGoingOn:
		return l.write(ctx, &v.names, v.followed.take())
	case atOnce:
		l.send(v, v.followed.take())
	case withTheEnd:
		v.followed.linger()
	}
	return nil
}

func (b *batch) add(s step) {
	if b.args == nil {
		b.args = make([]string, 0, 16)
	}
	b.args = append(b.args, s.args[0])
	if s.key != "" { // by its place
		b.keys = append(b.keys, s.key)
		b.args = append(b.args, strconv.Itoa(runKeys+len(b.keys)))
	}
	b.args = append(b.args, s.args[1:]...)
	if s.end != nil {
		b.ends = append(b.ends, s.end)
	}
}

func (f *followed) add(s step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batch.add(s)
}

// linger sends what was gathered after a while: the end of the call should have
// taken it along by then.
func (f *followed) linger() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.timer == nil {
		f.timer = time.AfterFunc(afterDelay, func() { f.view.ledger.send(f.view, f.take()) })
	}
}

// take leaves what was gathered to the caller.
func (f *followed) take() batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.batch
	f.batch = batch{}
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
	return taken
}

// send writes without waiting.
func (l *Ledger) send(v *view, b batch) {
	if b.args == nil {
		return
	}
	landed := l.flights.start(v.names.tag)
	go func() {
		defer landed()
		_ = l.write(context.Background(), &v.names, b)
	}()
}

func (l *Ledger) write(ctx context.Context, names *names, b batch) error {
	if b.args == nil {
		return nil
	}
	_, err := l.ask(ctx, l.scripts.after, names.and(b.keys...), b.args)
	for _, end := range b.ends {
		l.journal.told(end, err == nil)
	}
	return err
}

// flights are the writes that nobody waits for, by run, for those who must see
// them.
type flights struct {
	mu  sync.Mutex // guards all
	all map[string]*flight
}

type flight struct {
	writes int
	landed chan struct{} // closed with the last of them
}

func (f *flights) init() { f.all = map[string]*flight{} }

// start notes a write. The returned function must be called when it has ended.
func (f *flights) start(tag string) (landed func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := f.all[tag]
	if of == nil {
		of = &flight{landed: make(chan struct{})}
		f.all[tag] = of
	}
	of.writes++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if of.writes--; of.writes == 0 {
			delete(f.all, tag)
			close(of.landed)
		}
	}
}

// settle waits until the writes of a run that are under way have ended.
func (f *flights) settle(ctx context.Context, tag string) {
	f.mu.Lock()
	of := f.all[tag]
	f.mu.Unlock()
	if of == nil {
		return
	}
	select {
	case <-of.landed:
	case <-ctx.Done():
	}
}

// drain waits for all writes, so long at most.
func (f *flights) drain(wait time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	for {
		f.mu.Lock()
		tag := ""
		for tag = range f.all {
			break
		}
		f.mu.Unlock()
		if tag == "" || ctx.Err() != nil {
			return
		}
		f.settle(ctx, tag)
	}
}
