package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"google.golang.org/protobuf/encoding/protodelim"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

const answersWithin = 60 * time.Second

// program is an executor. It is started by the first move, and again after it
// broke.
type program struct {
	command []string
	stderr  io.Writer

	cmd   *exec.Cmd
	input io.WriteCloser
	out   *bufio.Reader
}

// execute asks for one move.
func (p *program) execute(ctx context.Context, request *conformancev1.ExecuteRequest) (*conformancev1.ExecuteResponse, error) {
	if p.cmd == nil {
		if err := p.start(ctx); err != nil {
			return nil, err
		}
	}
	response, err := p.exchange(request)
	if err != nil {
		p.stop()
	}
	return response, err
}

func (p *program) exchange(request *conformancev1.ExecuteRequest) (*conformancev1.ExecuteResponse, error) {
	if _, err := protodelim.MarshalTo(p.input, request); err != nil {
		return nil, fmt.Errorf("the executor takes no request: %w", err)
	}
	var response conformancev1.ExecuteResponse
	read := make(chan error, 1)
	go func() { read <- protodelim.UnmarshalFrom(p.out, &response) }()
	select {
	case err := <-read:
		if err != nil {
			return nil, fmt.Errorf("the executor gave no response: %w", err)
		}
		return &response, nil
	case <-time.After(answersWithin):
		p.stop()
		return nil, errors.Join(fmt.Errorf("the executor gave no response within %v", answersWithin), <-read)
	}
}

func (p *program) start(ctx context.Context) (err error) {
	if len(p.command) == 0 {
		return errors.New("an executor without a command")
	}
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...) //nolint:gosec // the person at the prompt names the program
	cmd.Stderr = p.stderr
	cmd.WaitDelay = time.Second
	if p.input, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.out = cmd, bufio.NewReader(out)
	return nil
}

// stop ends the program: its input ends, and it has a moment to follow.
func (p *program) stop() {
	if p.cmd == nil {
		return
	}
	cmd := p.cmd
	p.cmd = nil
	_ = p.input.Close()
	late := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_, _ = io.Copy(io.Discard, p.out)
	_ = cmd.Wait()
}
