package redistest

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

const startTimeout = 20 * time.Second

// Server is one redis-server.
type Server struct {
	// URL reaches it: a unix socket, or loopback TCP with TCP. It has no password,
	// whatever is configured.
	URL string
	// Address is the socket's path, or host:port.
	Address string

	t       testing.TB
	folder  string
	args    []string
	env     []string
	network string
	pid     int
	paused  bool
	ended   chan struct{} // closed when the process has ended
	guard   io.Closer     // its end ends the process
	clock   *Clock
	auth    []string // user and password of Do
	tls     *tls.Config
}

// Option changes how a server is started.
type Option func(*Server)

// Config sets a directive of redis.conf.
func Config(directive string, values ...string) Option {
	return func(s *Server) { s.args = append(append(s.args, "--"+directive), values...) }
}

// AppendOnly has the server keep every write on disk, so that it is there after
// a kill.
func AppendOnly(s *Server) {
	s.args = append(s.args, "--appendonly", "yes", "--appendfsync", "always")
}

// TCP has the server listen on a free loopback port in place of a socket.
func TCP(s *Server) { s.network = "tcp" }

// As has Do and the wait for the start log in.
func As(user, password string) Option {
	return func(s *Server) { s.auth = []string{user, password} }
}

// Start runs a server until the test ends.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	s := &Server{t: t, folder: folder(t), network: "unix"}
	s.args = []string{
		"--save", "", "--dir", s.folder, "--loglevel", "warning", "--logfile", filepath.Join(s.folder, "log"), "--daemonize", "no",
	}
	for _, option := range options {
		option(s)
	}
	if s.network == "unix" {
		s.Address = filepath.Join(s.folder, "s")
		s.URL = "unix://" + s.Address
		s.args = append(s.args, "--port", "0", "--unixsocket", s.Address)
	} else if s.Address == "" {
		port := freePort(t)
		s.Address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		s.URL = "redis://" + s.Address
		s.args = append(s.args, "--bind", "127.0.0.1", "--port", strconv.Itoa(port))
	}
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// folder makes a folder with a short name: a socket's path has little room.
func folder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "redis") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// guarded starts the program and kills it when its own standard input ends: with
// the test's process, however that dies.
const guarded = `"$@" </dev/null >/dev/null 2>&1 & echo $!; read -r _; kill -9 $! 2>/dev/null; wait`

// Restart starts the server, again if it was killed, and waits for it.
func (s *Server) Restart() {
	s.t.Helper()
	command := exec.CommandContext(context.Background(), "/bin/sh", append([]string{"-c", guarded, "sh", Program(s.t)}, s.args...)...)
	command.Env = append(os.Environ(), s.env...)
	stdin, errIn := command.StdinPipe()
	stdout, errOut := command.StdoutPipe()
	if err := firstOf(errIn, errOut, command.Start()); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if s.pid, _ = strconv.Atoi(strings.TrimSpace(line)); err != nil || s.pid == 0 {
		s.t.Fatalf("redis-server did not start: %v", err)
	}
	s.guard, s.ended = stdin, make(chan struct{})
	ended := s.ended
	go func() {
		defer close(ended)
		_ = command.Wait()
	}()
	s.await()
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) await() {
	s.t.Helper()
	var err error
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if _, err = s.Try("PING"); err == nil {
			return
		}
	}
	log, _ := os.ReadFile(filepath.Join(s.folder, "log"))
	s.t.Fatalf("redis-server does not answer: %v\n%s", err, log)
}

// Kill ends the server as a crash does.
func (s *Server) Kill() {
	if s.guard == nil {
		return
	}
	_ = syscall.Kill(s.pid, syscall.SIGKILL)
	_ = s.guard.Close()
	<-s.ended
	s.guard = nil
}

// Pause stops the process where it is: connections stand and nobody answers.
func (s *Server) Pause() {
	s.paused = true
	_ = syscall.Kill(s.pid, syscall.SIGSTOP)
}

// Resume lets it go on.
func (s *Server) Resume() {
	s.paused = false
	_ = syscall.Kill(s.pid, syscall.SIGCONT)
}

// runs reports that the server should answer.
func (s *Server) runs() bool { return s.guard != nil && !s.paused }

// Do runs one command; an error fails the test.
func (s *Server) Do(args ...string) string {
	s.t.Helper()
	answer, err := s.Try(args...)
	if err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
	return answer
}

// Try runs one command on a connection of its own.
func (s *Server) Try(args ...string) (string, error) {
	option := rueidis.ClientOption{
		InitAddress: []string{s.Address}, ForceSingleClient: true, DisableCache: true, DisableRetry: true,
		PipelineMultiplex: -1, ReadBufferEachConn: 4 << 10, WriteBufferEachConn: 4 << 10,
		DialCtxFn: func(ctx context.Context, address string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return s.dial(ctx, d, address)
		},
	}
	if len(s.auth) == 2 {
		option.Username, option.Password = s.auth[0], s.auth[1]
	}
	client, err := rueidis.NewClient(option)
	if err != nil {
		return "", err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	message, err := client.Do(ctx, client.B().Arbitrary(args...).Build()).ToMessage()
	if err != nil {
		return "", err
	}
	if text, err := message.ToString(); err == nil {
		return text, nil
	}
	value, err := message.ToAny()
	return fmt.Sprint(value), err
}
