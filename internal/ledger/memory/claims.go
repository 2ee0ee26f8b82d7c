package memory

import (
	"context"
	"fmt"
	"hash/maphash"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

type claimID struct {
	run  runID
	call [2]uint64
}

// claim is what became of a call id. Running ones are in no list by age.
type claim struct {
	id       claimID
	same     interceptors.Key
	state    interceptors.ClaimState
	response []byte // the CallToolResponse, encoded; ClaimSettled alone
	until    instant

	age   links[claim]
	ofRun links[claim]
}

func (c *claim) byAgeLinks() *links[claim] { return &c.age }
func (c *claim) ofRunLinks() *links[claim] { return &c.ofRun }

func (c *claim) ended() bool   { return c.state != interceptors.ClaimRunning }
func (c *claim) ends() instant { return c.until }
func (c *claim) bytes() int64  { return int64(len(c.response)) }

func (l *Ledger) claimID(run runID, callID string) claimID {
	return claimID{run: run, call: [2]uint64{maphash.String(l.seeds[0], callID), maphash.String(l.seeds[1], callID)}}
}

// Claim takes the call id or tells what became of it.
func (l *Ledger) Claim(_ context.Context, run interceptors.RunKey, callID string, same interceptors.Key, fresh bool) (interceptors.Claim, error) {
	state, response := l.claim(run, callID, same, fresh)
	if state != interceptors.ClaimSettled {
		l.shedClaims()
		return interceptors.Claim{State: state}, nil
	}
	kept := &toolgatev1.CallToolResponse{}
	if err := proto.Unmarshal(response, kept); err != nil {
		return interceptors.Claim{}, fmt.Errorf("the outcome kept under a call id: %w", err)
	}
	return interceptors.Claim{State: state, Response: kept}, nil
}

func (l *Ledger) claim(run interceptors.RunKey, callID string, same interceptors.Key, fresh bool) (interceptors.ClaimState, []byte) {
	s, life := l.enterOrBegin(run)
	defer s.leave()
	s.expireClaims(life.now)
	id := l.claimID(life.id, callID)
	c := s.claims[id]
	switch {
	case c == nil || c.ended() && life.now >= c.until:
		if c != nil {
			s.dropClaim(c)
		}
		s.takeClaim(&claim{id: id, same: same, state: interceptors.ClaimRunning})
		return interceptors.ClaimTaken, nil
	case c.same != same:
		return interceptors.ClaimOther, nil
	case c.ended() && fresh:
		s.dropClaim(c)
		s.takeClaim(&claim{id: id, same: same, state: interceptors.ClaimRunning})
		return interceptors.ClaimTaken, nil
	}
	return c.state, c.response
}

func (s *shard) takeClaim(c *claim) {
	s.claims[c.id] = c
	of := s.claimsOf[c.id.run]
	if of == nil {
		of = &list[claim]{of: (*claim).ofRunLinks}
		s.claimsOf[c.id.run] = of
	}
	of.push(c)
	s.ledger.claims.Add(1)
}

func (s *shard) dropClaim(c *claim) {
	delete(s.claims, c.id)
	s.unlist(c)
	of := s.claimsOf[c.id.run]
	if of.remove(c); of.head == nil {
		delete(s.claimsOf, c.id.run)
	}
	s.ledger.claims.Add(-1)
	s.ledger.claimBytes.Add(-c.bytes())
}

// unlist takes a claim out of the lists by age.
func (s *shard) unlist(c *claim) {
	switch {
	case c.state == interceptors.ClaimSettled:
		s.settled.remove(c)
	case c.ended():
		s.hollow.remove(c)
	}
	s.noteOldestClaims()
}

// SettleClaim stores the outcome of a claimed call.
func (l *Ledger) SettleClaim(_ context.Context, run interceptors.RunKey, callID string, response *toolgatev1.CallToolResponse) error {
	state, encoded := interceptors.ClaimLost, []byte(nil)
	if response != nil {
		var err error
		if state, encoded, err = l.encodeOutcome(response); err != nil {
			return err
		}
	}
	s, life := l.enter(run)
	if c := s.claims[l.claimID(life.id, callID)]; c != nil && !c.ended() {
		s.endClaim(c, state, encoded, life.now)
	}
	s.leave()
	l.shedClaims()
	return nil
}

func (l *Ledger) encodeOutcome(response *toolgatev1.CallToolResponse) (interceptors.ClaimState, []byte, error) {
	if proto.Size(response) > l.limits.claimEach {
		return interceptors.ClaimTooLarge, nil, nil
	}
	encoded, err := proto.Marshal(response)
	if err != nil {
		return 0, nil, fmt.Errorf("an outcome to keep under its call id: %w", err)
	}
	return interceptors.ClaimSettled, encoded, nil
}

func (s *shard) endClaim(c *claim, state interceptors.ClaimState, response []byte, now instant) {
	c.state, c.response, c.until = state, response, now+s.ledger.limits.claimKept
	s.ledger.claimBytes.Add(c.bytes())
	if state == interceptors.ClaimSettled {
		s.settled.push(c)
	} else {
		s.hollow.push(c)
	}
	s.noteOldestClaims()
}

// hollowOut drops the content of a settled claim and keeps the fact.
func (s *shard) hollowOut(c *claim) {
	s.unlist(c)
	s.ledger.claimBytes.Add(-c.bytes())
	c.state, c.response = interceptors.ClaimLost, nil
	s.hollow.push(c)
	s.noteOldestClaims()
}

// ReleaseClaim gives the call id free.
func (l *Ledger) ReleaseClaim(_ context.Context, run interceptors.RunKey, callID string) error {
	s, life := l.enter(run)
	defer s.leave()
	if c := s.claims[l.claimID(life.id, callID)]; c != nil && !c.ended() {
		s.dropClaim(c)
	}
	return nil
}

// expireClaims drops claims whose time is over. A claim that was hollowed out may
// stand behind a younger one and go late; claim looks at its time itself.
func (s *shard) expireClaims(now instant) {
	for s.settled.head != nil && now >= s.settled.head.until {
		s.dropClaim(s.settled.head)
	}
	for s.hollow.head != nil && now >= s.hollow.head.until {
		s.dropClaim(s.hollow.head)
	}
}
