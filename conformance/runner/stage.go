package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

const startsWithin = 30 * time.Second

// stage is what one vector is played on.
type stage struct {
	vector     *conformancev1.Vector
	connection *conformancev1.Connection
	backend    *backend
	err        error // why it could not be set up

	folder  string
	gateway *exec.Cmd
	ended   chan struct{} // closed once the gateway ended
	closers []func()
	killing sync.Once
}

// newStage sets up a stage; it must be closed whether that worked or not. The
// gateway stands behind one that knows the contract of a release, unless that is nil.
func newStage(ctx context.Context, gateway string, vector *conformancev1.Vector, behind *past) *stage {
	s := &stage{vector: vector, connection: &conformancev1.Connection{Token: vector.GetToken()}}
	s.err = s.build(ctx, gateway)
	if s.err == nil && (behind != nil || vector.GetHopPassesOn() > 0) {
		s.err = s.hop(behind)
	}
	return s
}

func (s *stage) hop(behind *past) error {
	target, stop, err := startHop(s.connection.GetTarget(), time.Duration(s.vector.GetHopPassesOn())*time.Millisecond, behind)
	if err != nil {
		return err
	}
	s.connection.Target, s.closers = target, append(s.closers, stop)
	return nil
}

func (s *stage) build(ctx context.Context, gateway string) error {
	if s.vector.GetCatalog() == "" {
		target, stop, err := startFuture(s.vector)
		if err != nil {
			return err
		}
		s.connection.Target, s.closers = target, append(s.closers, stop)
		return nil
	}
	backend, err := startBackend(s.vector, s.kill)
	if err != nil {
		return err
	}
	s.backend, s.closers = backend, append(s.closers, backend.close)
	folder, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	s.folder, s.closers = folder, append(s.closers, func() { _ = os.RemoveAll(folder) })
	flags, err := s.flags()
	if err != nil {
		return err
	}
	if s.vector.GetTransport() == conformancev1.Transport_TRANSPORT_REFUSED {
		return s.refuse()
	}
	return s.start(ctx, gateway, flags)
}

// flags writes the gateway's files and names them.
func (s *stage) flags() ([]string, error) {
	catalog := filepath.Join(s.folder, "catalog.yaml")
	text := strings.ReplaceAll(s.vector.GetCatalog(), "{backend}", s.backend.url)
	if err := os.WriteFile(catalog, []byte(text), 0o600); err != nil {
		return nil, err
	}
	flags := []string{"serve", "--catalog", catalog, "--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", "", "--watch-every", "-1s"}
	if access := s.vector.GetAccess(); access != "" {
		file := filepath.Join(s.folder, "access.yaml")
		if err := os.WriteFile(file, []byte(access), 0o600); err != nil {
			return nil, err
		}
		flags = append(flags, "--access", file)
	}
	switch s.vector.GetTransport() {
	case conformancev1.Transport_TRANSPORT_UNSPECIFIED, conformancev1.Transport_TRANSPORT_REFUSED:
		return flags, nil
	}
	shown, err := newCertificate()
	if err != nil {
		return nil, err
	}
	trusted := shown
	if s.vector.GetTransport() == conformancev1.Transport_TRANSPORT_TLS_UNTRUSTED {
		if trusted, err = newCertificate(); err != nil {
			return nil, err
		}
	}
	if s.vector.GetTransport() != conformancev1.Transport_TRANSPORT_PLAIN_TO_TLS {
		s.connection.CaPem = string(trusted.cert)
	}
	cert, key, err := shown.write(s.folder)
	return append(flags, "--tls-cert", cert, "--tls-key", key), err
}

// refuse finds an address at which nobody listens.
func (s *stage) refuse() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.connection.Target = listener.Addr().String()
	return listener.Close()
}

// start runs the gateway and reads its address from what it logs.
func (s *stage) start(ctx context.Context, gateway string, flags []string) error {
	s.gateway = exec.CommandContext(ctx, gateway, flags...) //nolint:gosec // the person at the prompt names the program
	log, err := s.gateway.StderrPipe()
	if err != nil {
		return err
	}
	if err := s.gateway.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	serving, said := make(chan string, 1), &strings.Builder{}
	go func() {
		defer close(s.ended)
		readLog(log, serving, said)
		_ = s.gateway.Wait()
	}()
	s.closers = append(s.closers, func() { s.kill(); <-s.ended })
	select {
	case s.connection.Target = <-serving:
		return nil
	case <-s.ended:
		return errors.New("the gateway ended: " + said.String())
	case <-time.After(startsWithin):
		return fmt.Errorf("the gateway did not start within %v", startsWithin)
	}
}

// readLog looks for the line that tells the address; what comes before is kept.
func readLog(log io.Reader, serving chan<- string, said *strings.Builder) {
	lines := bufio.NewScanner(log)
	found := false
	for lines.Scan() {
		var line struct {
			Msg  string `json:"msg"`
			GRPC string `json:"grpc"`
		}
		switch {
		case found:
		case json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving":
			found = true
			serving <- line.GRPC
		default:
			said.WriteString(lines.Text() + "\n")
		}
	}
}

// kill ends the gateway without any grace.
func (s *stage) kill() {
	s.killing.Do(func() { _ = s.gateway.Process.Kill() })
}

func (s *stage) close() {
	for _, closer := range slices.Backward(s.closers) {
		closer()
	}
}
