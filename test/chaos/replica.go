package chaos

import (
	"bufio"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 30 * time.Second
)

// replica is one gateway.
type replica struct {
	process
	index          int
	address, admin string
	redis          string // its proxy's name
	base           gauges // before the first call
}

func (s *stage) newReplica(index int) (*replica, error) {
	r := &replica{index: index, redis: fmt.Sprintf("redis-%d", index)}
	var err error
	if r.address, err = freeAddress(); err != nil {
		return nil, err
	}
	if r.admin, err = freeAddress(); err != nil {
		return nil, err
	}
	way, err := s.toxics.proxy(r.redis, s.leader.address)
	if err != nil {
		return nil, err
	}
	r.process = process{
		name: fmt.Sprintf("gateway %d", index), log: filepath.Join(s.folder, fmt.Sprintf("gateway-%d.log", index)),
		args: []string{
			s.options.Toolgate, "serve", "--catalog", s.catalogue, "--listen", r.address, "--admin-listen", r.admin,
			"--state", "redis://" + way, "--log-every=-1", "--watch-every=-1s", "--drain-timeout", "20s",
		},
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	r.base, err = r.gauges()
	return r, err
}

// begin starts it and waits until it serves.
func (r *replica) begin() error {
	if err := r.start(); err != nil {
		return err
	}
	return awaiting(r.name, func() error { return request(http.MethodGet, "http://"+r.admin+"/healthz", nil) })
}

// gauges is what a process holds.
type gauges struct {
	Goroutines  float64 `json:"goroutines"`
	Files       float64 `json:"files"`
	HeapMiB     float64 `json:"heap_mib"`
	ResidentMiB float64 `json:"resident_mib"`
}

func (r *replica) gauges() (gauges, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + r.admin + "/metrics") //nolint:noctx // the client's timeout bounds it
	if err != nil {
		return gauges{}, err
	}
	defer response.Body.Close()
	var g gauges
	found := 0
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		found++
		switch name {
		case "go_goroutines":
			g.Goroutines = value
		case "process_open_fds":
			g.Files = value
		case "go_memstats_heap_inuse_bytes":
			g.HeapMiB = value / (1 << 20)
		case "process_resident_memory_bytes":
			g.ResidentMiB = value / (1 << 20)
		default:
			found--
		}
	}
	if found < 4 {
		return g, fmt.Errorf("%s: /metrics shows %d of the 4 gauges of a process", r.name, found)
	}
	return g, nil
}
