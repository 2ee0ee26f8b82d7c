package mcpbackend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

const (
	stopPatience = 2 * time.Second // for each of the steps to the end of a program
	drainTime    = time.Second     // for the last words of one that has ended
)

// process is a running program.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // what it reads
	out    *os.File // what it writes
	exited chan struct{}
	err    error // how it ended; to be read when exited is closed
	stops  sync.Once
}

// inherited are the variables that a program has of the gateway's environment:
// what it needs to find programs and files, and nothing that may be secret.
var inherited = []string{"PATH", "HOME", "LANG", "TMPDIR", "USER"}

// launch starts a program. words gets each line of its standard error, until all
// of its descendants have closed that.
func launch(p *Program, words func([]byte)) (*process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	talk, childErr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close(), out.Close(), childOut.Close())
	}
	cmd := exec.CommandContext(context.Background(), p.Command, p.Arguments...) //nolint:gosec // the operator names the program
	cmd.Dir, cmd.Env = p.Folder, environment(p.Environment)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, childErr
	ownGroup(cmd)
	err = cmd.Start()
	_ = errors.Join(childIn.Close(), childOut.Close(), childErr.Close()) // the child has its own
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the server: %w", err), in.Close(), out.Close(), talk.Close())
	}
	running := &process{cmd: cmd, in: in, out: out, exited: make(chan struct{})}
	go listen(talk, words)
	go running.wait(talk)
	return running, nil
}

func environment(own []string) []string {
	all := make([]string, 0, len(inherited)+len(own))
	for _, name := range inherited {
		if value, set := os.LookupEnv(name); set {
			all = append(all, name+"="+value)
		}
	}
	return slices.Concat(all, own)
}

// wait ends whatever the program leaves behind. A descendant that got out of the
// group may hold the streams: they are closed on our side.
func (r *process) wait(words *os.File) {
	r.err = r.cmd.Wait()
	endGroup(r.cmd, killed)
	close(r.exited)
	time.Sleep(drainTime)
	_ = errors.Join(r.in.Close(), r.out.Close(), words.Close()) // nothing is left to lose
}

// stop ends the program: its input ends, then it is asked, then it is killed
// (Model Context Protocol, stdio transport, shutdown).
func (r *process) stop() {
	r.stops.Do(func() {
		_ = r.in.Close() // it may be closed already
		for _, how := range []signal{asked, killed} {
			if r.endsWithin(stopPatience) {
				return
			}
			endGroup(r.cmd, how)
		}
	})
	<-r.exited
}

func (r *process) endsWithin(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.exited:
		return true
	case <-timer.C:
		return false
	}
}

// signal is how a program is told to end.
type signal int

const (
	asked signal = iota
	killed
)
