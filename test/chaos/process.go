package chaos

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// process is a program that can be killed, stopped for a while and started again.
// It never outlives the program that started it, however that ends.
type process struct {
	name string
	log  string // file of what it says
	args []string
	env  []string

	pid   int
	guard io.Closer
	ended chan struct{}
	code  atomic.Int64 // exit code, once ended
}

// guarded runs a program, says its pid, kills it when its own standard input
// ends, and says how it ended.
const guarded = `log=$1; shift; exec 3<&0; "$@" </dev/null 3<&- >>"$log" 2>&1 & p=$!; echo $p
(read -r _ <&3; kill -9 $p) >/dev/null 2>&1 & g=$!; wait $p; s=$?; kill $g 2>/dev/null; echo $s`

func (p *process) start() error {
	command := exec.CommandContext(context.Background(), "/bin/sh", append([]string{"-c", guarded, "sh", p.log}, p.args...)...) //nolint:gosec // our own programs
	command.Env = append(os.Environ(), p.env...)
	stdin, errIn := command.StdinPipe()
	stdout, errOut := command.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	lines := bufio.NewReader(stdout)
	pid, err := number(lines)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	p.pid, p.guard, p.ended = pid, stdin, make(chan struct{})
	ended := p.ended
	go func() {
		defer close(ended)
		code, _ := number(lines)
		p.code.Store(int64(code))
		_ = command.Wait()
	}()
	return nil
}

func number(r *bufio.Reader) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(line))
}

func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(p.pid, s) }

// kill ends it as a crash does.
func (p *process) kill() {
	if p.guard == nil {
		return
	}
	p.signal(syscall.SIGKILL)
	<-p.ended
	_ = p.guard.Close()
	p.guard = nil
}

// terminate asks it to stop and waits for its end.
func (p *process) terminate(within time.Duration) error {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(within):
		p.kill()
		return fmt.Errorf("%s did not stop within %v", p.name, within)
	}
	_ = p.guard.Close()
	p.guard = nil
	if code := p.code.Load(); code != 0 {
		return fmt.Errorf("%s stopped with code %d: see %s", p.name, code, p.log)
	}
	return nil
}

// freeAddress finds a loopback address that stays the same over restarts.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// awaiting tries until it works.
func awaiting(what string, try func() error) error {
	var err error
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = try(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s: not within %v: %w", what, startTimeout, err)
}
