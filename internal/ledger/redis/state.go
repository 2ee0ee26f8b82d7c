package redis

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"toolgate.dev/toolgate/interceptors"
)

// state is a run as the server told it at one moment. It is never changed.
type state struct {
	now   int64     // the server's clock, in µs
	heard time.Time // when we heard of it
	alive bool

	sequence, started, attempts uint64
	errors                      [classes]uint64
	of                          map[string]uint64 // results by tool
	counts                      map[string]*count
	heads                       map[interceptors.Key]head
	kept                        map[interceptors.Key]string // idempotency keys
	payloads                    map[interceptors.Key]string
	partial                     bool // payloads has none of what heads have
}

const classes = 4 // of ErrorClass; a class that we do not know counts as none

// count is what a tool rejected, and what was offered for it.
type count struct {
	rejections            uint64
	changed, last, memory int64
	cap                   uint64
	version               string
	unblocks, offers      string // as the scripts pack them
	taken                 int
}

// head is what is known of a memory without its content.
type head struct {
	sequence uint64
	until    int64 // the server's clock, in µs
	ttl      time.Duration
	class    int
	flag     byte
	unblock  string
	tool     string
}

const (
	flagMemory  = 'm'
	flagUnknown = 'u'
	flagErased  = 'e'
)

func (h head) holds(now int64) bool {
	return h.flag == flagUnknown || h.flag == flagMemory && now < h.until
}

// clock is the server's clock now, as far as we know: never later than it is.
func (s *state) clock() int64 { return s.now + time.Since(s.heard).Microseconds() }

var errReply = errors.New("the server answered something that this version does not understand")

// readState reads what the scripts' state() returns: the time, the run's hash,
// its payloads or nil.
func readState(message rueidis.RedisMessage) (*state, error) {
	parts, err := message.ToArray()
	if err != nil || len(parts) != 3 {
		return nil, fmt.Errorf("%w: a state of %d parts", errReply, len(parts))
	}
	s := &state{heard: time.Now()}
	if s.now, err = parts[0].AsInt64(); err != nil {
		return nil, fmt.Errorf("%w: its time: %w", errReply, err)
	}
	fields, err := parts[1].AsStrSlice()
	if err != nil {
		return nil, fmt.Errorf("%w: its fields: %w", errReply, err)
	}
	s.alive = len(fields) > 0
	for i := 0; i+1 < len(fields); i += 2 {
		s.read(fields[i], fields[i+1])
	}
	if parts[2].IsNil() {
		s.partial = true
		return s, nil
	}
	return s, s.readPayloads(parts[2])
}

func (s *state) readPayloads(message rueidis.RedisMessage) error {
	pairs, err := message.AsStrSlice()
	if err != nil {
		return fmt.Errorf("%w: its payloads: %w", errReply, err)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if key, ok := keyOf(pairs[i]); ok {
			put(&s.payloads, key, pairs[i+1])
		}
	}
	return nil
}

// read takes one field of the run's hash in. What a later version adds is passed
// over.
func (s *state) read(name, value string) {
	if len(name) > 2 && name[1] == ':' {
		s.readNamed(name[0], name[2:], value)
		return
	}
	number, _ := strconv.ParseUint(value, 10, 64)
	switch name {
	case "q":
		s.sequence = number
	case "t":
		s.started = number
	case "a":
		s.attempts = number
	case "e0", "e1", "e2", "e3":
		s.errors[name[1]-'0'] = number
	}
}

func (s *state) readNamed(kind byte, name, value string) {
	switch kind {
	case 'r':
		number, _ := strconv.ParseUint(value, 10, 64)
		put(&s.of, name, number)
	case 'c':
		s.count(name).read(value)
	case 'x':
		s.count(name).unblocks = value
	case 'o':
		s.count(name).offers = value
	case 'k':
		s.count(name).taken = len(value) / len(interceptors.Key{})
	case 'm':
		if key, ok := keyOf(name); ok {
			put(&s.heads, key, readHead(value))
		}
	case 'i':
		if key, ok := keyOf(name); ok {
			_, kept, _ := strings.Cut(value, " ")
			put(&s.kept, key, kept)
		}
	}
}

func (s *state) count(tool string) *count {
	c := s.counts[tool]
	if c == nil {
		c = &count{}
		put(&s.counts, tool, c)
	}
	return c
}

// read reads "rejections changed last memory cap from version".
func (c *count) read(packed string) {
	fields := strings.SplitN(packed, " ", 7)
	if len(fields) != 7 {
		return
	}
	c.rejections, _ = strconv.ParseUint(fields[0], 10, 64)
	c.changed, _ = strconv.ParseInt(fields[1], 10, 64)
	c.last, _ = strconv.ParseInt(fields[2], 10, 64)
	c.memory, _ = strconv.ParseInt(fields[3], 10, 64)
	c.cap, _ = strconv.ParseUint(fields[4], 10, 64)
	c.version = fields[6]
}

// readHead reads "seq till ttl snap size class flag\nunblock\ntool".
func readHead(packed string) (h head) {
	lines := strings.SplitN(packed, "\n", 3)
	fields := strings.Fields(lines[0])
	if len(lines) != 3 || len(fields) != 7 || len(fields[6]) != 1 {
		return head{flag: flagErased}
	}
	h.sequence, _ = strconv.ParseUint(fields[0], 10, 64)
	h.until, _ = strconv.ParseInt(fields[1], 10, 64)
	ttl, _ := strconv.ParseInt(fields[2], 10, 64)
	h.ttl = time.Duration(ttl) * time.Microsecond
	h.class, _ = strconv.Atoi(fields[5])
	h.flag, h.unblock, h.tool = fields[6][0], lines[1], lines[2]
	return h
}

func keyOf(text string) (key interceptors.Key, ok bool) {
	return key, copy(key[:], text) == len(key) && len(text) == len(key)
}

// put makes the map with its first entry: most runs have none.
func put[K comparable, V any](all *map[K]V, key K, value V) {
	if *all == nil {
		*all = map[K]V{}
	}
	(*all)[key] = value
}

// standing tells whether the tool takes another call of this run.
func (s *state) standing(q interceptors.StandingQuery, arrived uint64) (standing interceptors.Standing) {
	var total uint64 // of the counts that stood when the snapshot was taken
	now := s.clock()
	for tool, c := range s.counts {
		n := c.rejections
		if c.memory > 0 && now-c.last >= c.memory || tool == q.Tool && c.version != q.Version {
			n = 0
		}
		if tool == q.Tool {
			standing.Count = uint32(n)
		}
		if uint64(c.changed) > arrived {
			continue
		}
		total += n
		if tool == q.Tool && q.Cap > 0 && n >= uint64(q.Cap) {
			standing.Capped = true
		}
	}
	if q.RunCap > 0 && total >= uint64(q.RunCap) {
		standing.Capped = true
	}
	return standing
}

// forgives reports that a success of the tool has counts or offers to forgive.
func (s *state) forgives(tool string) bool {
	for other, c := range s.counts {
		if other == tool || c.names(tool) {
			return true
		}
	}
	return false
}

func (c *count) names(tool string) bool {
	for name := range strings.SplitSeq(c.unblocks, "\n") {
		if name == tool {
			return true
		}
	}
	return false
}

// offered reports that the call could be an offer that stands.
func (s *state) offered(offer interceptors.Offer) bool {
	c := s.counts[offer.Tool]
	if c == nil {
		return false
	}
	for at := 0; at+len(offer.Key) <= len(c.offers); at += len(offer.Key) {
		if c.offers[at:at+len(offer.Key)] == string(offer.Key[:]) {
			return true
		}
	}
	return false
}

// cures reports that a success of the tool has memories to forget.
func (s *state) cures(tool string, reads bool) bool {
	for _, h := range s.heads {
		if h.flag == flagMemory && h.class != int(interceptors.Transient) && (!reads || h.unblock == tool) {
			return true
		}
	}
	return false
}
