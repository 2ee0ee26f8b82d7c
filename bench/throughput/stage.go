package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// plan is what is measured, and with which programs.
type plan struct {
	gateway, hop, backend string
	rounds                int
	sample, warm          time.Duration
	quick                 bool
}

// The catalogue of the gateway. The schema says of the arguments what a careful
// operator would.
const catalogue = `
upstreams: {backend: {url: "http://%s"}}
tools:
  - name: create_invoice
    description: Creates an invoice.
    upstream: backend
    http: {method: POST, url: /invoices}
    input_schema:
      type: object
      required: [customer, currency]
      additionalProperties: false
      properties:
        customer: {type: string, pattern: "^cus_[a-z0-9]+$", maxLength: 40}
        currency: {type: string, enum: [EUR, USD, GBP]}
        due: {type: string, format: date}
        memo: {type: string, maxLength: 500}
        paid: {type: boolean}
        total: {type: number, minimum: 0}
        lines:
          type: array
          maxItems: 1000
          items:
            type: object
            required: [sku, quantity]
            additionalProperties: false
            properties:
              sku: {type: string, minLength: 1, maxLength: 20}
              quantity: {type: integer, minimum: 1, maximum: 10000}
              price: {type: number, minimum: 0}
              note: {type: string}
              tags: {type: array, items: {type: string}}
`

// stage is the processes of a measurement.
type stage struct {
	folder                string
	backend, hop, gateway *process
	ways                  []way
}

func open(ctx context.Context, p plan) (s *stage, err error) {
	s = &stage{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.folder, err = os.MkdirTemp("", "bench"); err != nil {
		return s, err
	}
	if s.backend, err = start(ctx, plainAddress, p.backend); err != nil {
		return s, err
	}
	if s.hop, err = start(ctx, plainAddress, p.hop, "-url", "http://"+s.backend.address+"/invoices"); err != nil {
		return s, err
	}
	tools := filepath.Join(s.folder, "catalog.yaml")
	if err = os.WriteFile(tools, fmt.Appendf(nil, catalogue, s.backend.address), 0o600); err != nil {
		return s, err
	}
	s.gateway, err = start(ctx, loggedAddress, p.gateway, "serve", "--catalog", tools, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	return s, s.connect()
}

func (s *stage) close() {
	for _, w := range s.ways {
		w.close()
	}
	for _, p := range []*process{s.gateway, s.hop, s.backend} {
		if p != nil {
			p.end()
		}
	}
	_ = os.RemoveAll(s.folder)
}

// process is a program that serves.
type process struct {
	address string
	command *exec.Cmd
	done    chan struct{}
}

// startTimeout is for a machine that is busy.
const startTimeout = 30 * time.Second

// start runs a program and waits until it says where it listens.
func start(ctx context.Context, address func(line []byte) string, program string, args ...string) (*process, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Env = slices.DeleteFunc(os.Environ(), tuning)
	read, write := io.Pipe()
	command.Stdout, command.Stderr = write, write
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%w (make build bench builds it)", err)
	}
	p := &process{command: command, done: make(chan struct{})}
	go func() {
		_ = command.Wait()
		_ = write.Close()
		close(p.done)
	}()
	found := make(chan string, 1)
	go func() {
		defer close(found)
		for lines := bufio.NewScanner(read); lines.Scan(); {
			if at := address(lines.Bytes()); at != "" {
				found <- at
				break
			}
		}
		_, _ = io.Copy(io.Discard, read)
	}()
	select {
	case p.address = <-found:
	case <-time.After(startTimeout):
	}
	if p.address == "" {
		p.end()
		return nil, errors.New(program + " does not listen")
	}
	return p, nil
}

// tuning drops what would tune one program otherwise than it tunes itself.
func tuning(variable string) bool {
	for _, name := range []string{"GOGC=", "GOMEMLIMIT=", "GODEBUG=", "OTEL_", "TOOLGATE_", "HTTP_PROXY=", "http_proxy="} {
		if strings.HasPrefix(variable, name) {
			return true
		}
	}
	return false
}

func plainAddress(line []byte) string { return string(line) }

func loggedAddress(line []byte) string {
	var entry struct {
		Msg  string `json:"msg"`
		Grpc string `json:"grpc"`
	}
	if json.Unmarshal(line, &entry) != nil || entry.Msg != "serving" {
		return ""
	}
	return entry.Grpc
}

func (p *process) end() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(startTimeout):
		_ = p.command.Process.Kill()
		<-p.done
	}
}
