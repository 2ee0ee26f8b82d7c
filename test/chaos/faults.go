package chaos

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// fault is one kind of trouble. It strikes, lasts, and is mended.
type fault struct {
	name   string
	strike func(*stage) error
	mend   func(*stage) error
	blind  bool // some replica can't reach Redis
	gentle bool // no rpc may end in a status
	leave  bool // clients leave in the middle of their rpcs
	short  bool // part of the short form
}

func faults() []fault {
	all := backendFaults()
	all = append(all, redisFaults()...)
	return append(all, replicaFaults()...)
}

// toxic is a fault of a proxy.
func toxic(name, kind, stream string, share float64, attributes map[string]any) fault {
	return fault{
		name:   name,
		strike: func(s *stage) error { return s.toxics.add(wayBackend, kind, stream, share, attributes) },
		mend:   func(s *stage) error { return s.toxics.remove(wayBackend, kind) },
	}
}

// mood is a fault of the back end's answers.
func mood(name, mood string) fault {
	return fault{
		name:   name,
		strike: func(s *stage) error { return s.mood(mood) },
		mend:   func(s *stage) error { return s.mood(moodGood) },
	}
}

func backendFaults() []fault {
	all := []fault{
		toxic("latency", "latency", "downstream", 0.5, map[string]any{"latency": 150, "jitter": 100}),
		toxic("slow close", "slow_close", "downstream", 1, map[string]any{"delay": 800}),
		toxic("bandwidth", "bandwidth", "downstream", 1, map[string]any{"rate": 40}),
		toxic("reset peer", "reset_peer", "downstream", 0.5, map[string]any{"timeout": 120}),
		toxic("blackhole", "timeout", "downstream", 0.2, map[string]any{"timeout": 0}),
		toxic("blackhole on the way in", "timeout", "upstream", 0.2, map[string]any{"timeout": 0}),
		toxic("cut by the network", "limit_data", "downstream", 0.5, map[string]any{"bytes": 9000}),
		mood("503", "unavailable"), mood("429", "limited"), mood("500", "broken"),
		mood("cut body", "cut"), mood("no answer", "hang"), mood("reset after the effect", "reset"),
		{
			name:   "back end refuses connections",
			strike: func(s *stage) error { return s.toxics.set(wayBackend, map[string]any{"enabled": false}) },
			mend:   func(s *stage) error { return s.toxics.set(wayBackend, map[string]any{"enabled": true}) },
		},
		{
			name:   "back end killed",
			strike: func(s *stage) error { s.backend.kill(); return nil },
			mend:   (*stage).beginBackend,
		},
		{
			name:   "back end stopped",
			strike: func(s *stage) error { s.backend.signal(syscall.SIGSTOP); return nil },
			mend:   func(s *stage) error { s.backend.signal(syscall.SIGCONT); return nil },
		},
	}
	for n := range all {
		switch all[n].name {
		case "reset peer", "cut body", "503", "back end killed":
			all[n].short = true
		}
	}
	return all
}

// allWays does one thing to the way of every replica to Redis.
func allWays(s *stage, do func(way string) error) error {
	var errs []error
	for _, r := range s.gateways {
		errs = append(errs, do(r.redis))
	}
	return errors.Join(errs...)
}

func redisToxic(name, kind string, attributes map[string]any) fault {
	return fault{
		name: name, blind: true,
		strike: func(s *stage) error {
			return allWays(s, func(way string) error { return s.toxics.add(way, kind, "downstream", 1, attributes) })
		},
		mend: func(s *stage) error {
			return allWays(s, func(way string) error { return s.toxics.remove(way, kind) })
		},
	}
}

func redisFaults() []fault {
	slow := redisToxic("redis slow", "latency", map[string]any{"latency": 8, "jitter": 5})
	slow.blind = false // within the bounded wait
	return []fault{
		slow,
		redisToxic("redis too slow", "latency", map[string]any{"latency": 200}),
		redisToxic("redis blackhole", "timeout", map[string]any{"timeout": 0}),
		{
			name: "redis killed", blind: true, short: true,
			strike: func(s *stage) error { s.leader.kill(); return nil },
			mend:   func(s *stage) error { return errors.Join(s.leader.start(), s.leader.await()) },
		},
		{
			name: "redis stopped", blind: true,
			strike: func(s *stage) error { s.leader.signal(syscall.SIGSTOP); return nil },
			mend:   func(s *stage) error { s.leader.signal(syscall.SIGCONT); return s.leader.await() },
		},
		{
			name: "redis read-only", blind: true,
			strike: func(s *stage) error { return s.leader.do("CONFIG", "SET", "min-replicas-to-write", "5") },
			mend:   func(s *stage) error { return s.leader.do("CONFIG", "SET", "min-replicas-to-write", "0") },
		},
		{
			name: "redis full", blind: true,
			strike: func(s *stage) error { return s.leader.do("CONFIG", "SET", "maxmemory", "1mb") },
			mend:   func(s *stage) error { return s.leader.do("CONFIG", "SET", "maxmemory", "0") },
		},
		{
			name: "redis connections cut", blind: true,
			strike: cutRedis, mend: cutRedis,
		},
		{
			name: "one replica without redis", blind: true,
			strike: func(s *stage) error { return s.toxics.set(s.gateways[0].redis, map[string]any{"enabled": false}) },
			mend:   func(s *stage) error { return s.toxics.set(s.gateways[0].redis, map[string]any{"enabled": true}) },
		},
		{
			name: "redis failover", blind: true,
			strike: failover,
			mend: func(s *stage) error { // the old leader comes back as a replica of the new one
				return errors.Join(s.follower.start(), s.follower.await(), s.follower.follow(s.leader))
			},
		},
	}
}

func cutRedis(s *stage) error {
	return allWays(s, func(way string) error {
		return errors.Join(s.toxics.set(way, map[string]any{"enabled": false}), s.toxics.set(way, map[string]any{"enabled": true}))
	})
}

// failover has the replica of Redis take over from a leader that died.
func failover(s *stage) error {
	s.leader.kill()
	s.leader, s.follower = s.follower, s.leader
	if err := s.leader.do("REPLICAOF", "NO", "ONE"); err != nil {
		return err
	}
	return allWays(s, func(way string) error { return s.toxics.set(way, map[string]any{"upstream": s.leader.address}) })
}

func replicaFaults() []fault {
	return []fault{
		{name: "replica killed", short: true, strike: killReplica, mend: killReplica},
		{name: "rolling restart", short: true, gentle: true, strike: rollingRestart, mend: nothing},
		{
			name:   "replica stopped",
			strike: func(s *stage) error { s.gateways[1].signal(syscall.SIGSTOP); return nil },
			mend:   func(s *stage) error { s.gateways[1].signal(syscall.SIGCONT); return nil },
		},
		{name: "catalogue reloaded", short: true, gentle: true, strike: reload, mend: reload},
		{name: "clients leave", short: true, leave: true, strike: nothing, mend: nothing},
		{name: "slow and dead clients", gentle: true, strike: strangers, mend: nothing},
	}
}

func nothing(*stage) error { return nil }

// killReplica kills one in the middle of its calls and starts it again.
func killReplica(s *stage) error {
	r := s.gateways[2]
	r.kill()
	time.Sleep(300 * time.Millisecond)
	return r.begin()
}

// rollingRestart drains and starts one replica after the other.
func rollingRestart(s *stage) error {
	for _, r := range s.gateways {
		if err := r.terminate(stopTimeout); err != nil {
			return err
		}
		if err := r.begin(); err != nil {
			return err
		}
		time.Sleep(time.Second) // a roll-out waits until clients have found the new one
	}
	return nil
}

// reload changes the catalogue and has every replica read it.
func reload(s *stage) error {
	s.reloads++
	if err := os.WriteFile(s.catalogue, catalogueText(s.way, strconv.Itoa(s.reloads)), 0o600); err != nil {
		return err
	}
	for _, r := range s.gateways {
		r.signal(syscall.SIGHUP)
	}
	return nil
}
