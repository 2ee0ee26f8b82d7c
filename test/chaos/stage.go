package chaos

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// quickConnect has a client find a replica again soon after it came back.
var quickConnect = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, Jitter: 0.2, MaxDelay: 500 * time.Millisecond},
	MinConnectTimeout: time.Second,
}

// The names of proxies.
const (
	wayBackend = "backend"
	wayRedis   = "redis-%d"
)

const replicas = 3

// stage is everything that stands.
type stage struct {
	options   Options
	folder    string
	catalogue string // file
	record    string // file

	toxics           *toxics
	leader, follower *redisServer
	backend          process
	backendAddress   string
	way              string // the address of the back end's proxy
	gateways         []*replica
	strangers        []net.Conn // clients that say nothing any more
	reloads          int

	mu     sync.Mutex // guards blind
	blind  []window   // while some replica could not reach Redis
	closed []func()
}

// window is a time; the zero end has not come.
type window struct{ Begin, End time.Time }

func (w window) meets(begin, end time.Time) bool {
	return w.Begin.Before(end) && (w.End.IsZero() || w.End.After(begin))
}

func newStage(options Options) (*stage, error) {
	folder, err := os.MkdirTemp(options.Folder, "chaos")
	if err != nil {
		return nil, err
	}
	s := &stage{
		options: options, folder: folder,
		catalogue: filepath.Join(folder, "catalog.yaml"), record: filepath.Join(folder, "record.jsonl"),
	}
	if options.Folder == "" {
		s.later(func() { _ = os.RemoveAll(folder) })
	}
	if err := errors.Join(s.raiseProxies(), s.raiseRedis()); err != nil {
		s.close()
		return nil, err
	}
	if err := errors.Join(s.raiseBackend(), s.raiseReplicas()); err != nil {
		err = fmt.Errorf("%w\n%s", err, s.lastWords())
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stage) later(end func()) { s.closed = append(s.closed, end) }

// close ends everything, the last first.
func (s *stage) close() {
	for _, end := range slices.Backward(s.closed) {
		end()
	}
}

func (s *stage) raiseProxies() (err error) {
	if s.toxics, err = startToxics(s.options.Toxiproxy, filepath.Join(s.folder, "toxiproxy.log")); err == nil {
		s.later(s.toxics.kill)
	}
	return err
}

func (s *stage) raiseRedis() error {
	program, err := redisProgram(s.options.Redis)
	if err != nil {
		return err
	}
	if s.leader, err = startRedis(program, s.folder, "redis-a"); err != nil {
		return err
	}
	leader := s.leader
	s.later(func() { leader.signal(syscall.SIGCONT); leader.kill() })
	if s.follower, err = startRedis(program, s.folder, "redis-b"); err != nil {
		return err
	}
	follower := s.follower
	s.later(func() { follower.signal(syscall.SIGCONT); follower.kill() })
	return s.follower.follow(s.leader)
}

func (s *stage) raiseBackend() (err error) {
	if s.backendAddress, err = freeAddress(); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s.backend = process{
		name: "back end", log: filepath.Join(s.folder, "backend.log"), args: []string{program},
		env: []string{envBackend + "=" + s.backendAddress, envRecord + "=" + s.record},
	}
	if err := s.beginBackend(); err != nil {
		return err
	}
	s.later(func() { s.backend.signal(syscall.SIGCONT); s.backend.kill() })
	s.way, err = s.toxics.proxy(wayBackend, s.backendAddress)
	return err
}

func (s *stage) beginBackend() error {
	if err := s.backend.start(); err != nil {
		return err
	}
	return awaiting("back end", func() error { return s.mood(moodGood) })
}

// mood has the back end misbehave in three of ten requests; moodGood ends that.
func (s *stage) mood(mood string) error {
	return request(http.MethodPost, "http://"+s.backendAddress+"/mood/"+mood, nil)
}

func (s *stage) raiseReplicas() error {
	if err := os.WriteFile(s.catalogue, catalogueText(s.way, "0"), 0o600); err != nil {
		return err
	}
	for n := range replicas {
		r, err := s.newReplica(n)
		if err != nil {
			return err
		}
		s.gateways = append(s.gateways, r)
		s.later(func() { r.signal(syscall.SIGCONT); r.kill() })
	}
	return nil
}

func (s *stage) addresses() []string {
	var all []string
	for _, r := range s.gateways {
		all = append(all, r.address)
	}
	return all
}

// lose notes that Redis is out of reach from now on, and found that it is there
// again; the replicas need a moment to rejoin.
func (s *stage) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blind = append(s.blind, window{Begin: time.Now()})
}

const rejoin = 2500 * time.Millisecond

func (s *stage) found() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blind[len(s.blind)-1].End = time.Now().Add(rejoin)
}

// lastWords is the end of every log, for a failure's report.
func (s *stage) lastWords() string {
	var all strings.Builder
	files, _ := filepath.Glob(filepath.Join(s.folder, "*.log"))
	for _, file := range files {
		text, _ := os.ReadFile(file) //nolint:gosec // our own file
		fmt.Fprintf(&all, "--- %s\n%s\n", filepath.Base(file), text[max(0, len(text)-2000):])
	}
	return all.String()
}
