package redis

import (
	"testing"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// heard collects what a watcher is told.
func heard(l *Ledger) chan interceptors.Notice {
	notices := make(chan interceptors.Notice, 64)
	l.Watch(func(n interceptors.Notice) { notices <- n })
	return notices
}

// hearing returns once a watcher hears the news themselves.
func (p *pair) hearing(from *Ledger, notices chan interceptors.Notice) {
	p.Helper()
	await(p.T, "the news are heard", func() bool {
		from.Post(interceptors.Notice{Upstream: "hello", Kind: interceptors.NoticeClosed})
		select {
		case n := <-notices:
			return n.Upstream == "hello"
		case <-time.After(20 * time.Millisecond):
			return false
		}
	})
	for {
		select {
		case <-notices:
		case <-time.After(100 * time.Millisecond):
			return
		}
	}
}

func TestNoticesReachTheOtherReplicasAlone(t *testing.T) {
	p := newPair(t)
	own, others := heard(p.one), heard(p.other)
	p.hearing(p.one, others)
	for _, sent := range []interceptors.Notice{
		{Upstream: "api", Tool: "pay", Kind: interceptors.NoticeOpened, Hold: 30 * time.Second, Hint: 30 * time.Second},
		{Upstream: "api", Kind: interceptors.NoticePaused, Hold: time.Minute, Hint: time.Hour},
		{Upstream: "api", Tool: "pay", Kind: interceptors.NoticeClosed},
	} {
		p.one.Post(sent)
		got := <-others
		if got.Upstream != sent.Upstream || got.Tool != sent.Tool || got.Kind != sent.Kind ||
			sent.Hold-got.Hold > time.Second || sent.Hint-got.Hint > time.Second || got.Hold > sent.Hold {
			t.Errorf("sent %+v, got %+v", sent, got)
		}
	}
	if len(own) > 0 {
		t.Errorf("its own word came back: %+v", <-own)
	}
}

func TestWhoComesLaterIsToldWhatStands(t *testing.T) {
	p := newPair(t)
	p.one.post(interceptors.Notice{Upstream: "api", Tool: "pay", Kind: interceptors.NoticeOpened, Hold: time.Hour})
	p.one.post(interceptors.Notice{Upstream: "api", Tool: "list", Kind: interceptors.NoticeOpened, Hold: time.Hour})
	p.one.post(interceptors.Notice{Upstream: "api", Tool: "list", Kind: interceptors.NoticeClosed})
	p.one.post(interceptors.Notice{Upstream: "gone", Kind: interceptors.NoticePaused, Hold: time.Microsecond})
	others := heard(p.other)
	for range 2 { // as it begins to watch, and as it begins to listen
		if n := <-others; n.Upstream != "api" || n.Tool != "pay" || n.Kind != interceptors.NoticeOpened || n.Hold < 59*time.Minute {
			t.Errorf("got %+v", n)
		}
	}
	select {
	case n := <-others:
		t.Errorf("got %+v, too", n)
	case <-time.After(50 * time.Millisecond):
	}
}

func TestTheBoardIsHeardAgainAfterAnAbsence(t *testing.T) {
	p := newPair(t)
	others := heard(p.other)
	p.hearing(p.one, others)
	p.server.Kill()
	p.lose()
	p.one.Post(interceptors.Notice{Upstream: "lost", Kind: interceptors.NoticeOpened, Hold: time.Hour}) // nobody waits for it
	p.server.Restart()
	p.awaitBoth()
	p.hearing(p.one, others)
}

func TestTheBoardIsBounded(t *testing.T) {
	p := newPair(t)
	p.server.Do("EVAL", `for i = 1, 8192 do redis.call('HSET', KEYS[1], 'u' .. i, 'x o 1 1') end return 1`, "1", p.one.boardKey())
	p.one.post(interceptors.Notice{Upstream: "api", Kind: interceptors.NoticeOpened, Hold: time.Hour})
	if n := p.server.Do("HLEN", p.one.boardKey()); n != "1" {
		t.Errorf("%s notices stand", n)
	}
}
