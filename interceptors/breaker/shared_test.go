package breaker

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// wall is a board in this process: what one room posts, the others hear.
type wall struct {
	mu    sync.Mutex // guards the rest
	rooms []func(interceptors.Notice)
	posts []interceptors.Notice
}

// seat is one room's place at the wall.
type seat struct {
	*wall
	n int
}

func (w *wall) seat() seat {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rooms = append(w.rooms, nil)
	return seat{w, len(w.rooms) - 1}
}

func (s seat) Post(notice interceptors.Notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts = append(s.posts, notice)
	for n, tell := range s.rooms {
		if n != s.n {
			tell(notice)
		}
	}
}

func (s seat) Watch(tell func(interceptors.Notice)) func() {
	s.rooms[s.n] = tell
	return func() {}
}

func twoRooms() (one, other *Room, w *wall) {
	w = &wall{}
	return New(WithShared(w.seat())), New(WithShared(w.seat())), w
}

func TestWhatOneReplicaOpensIsOpenAtAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, other, w := twoRooms()
		policy := interceptors.DefaultPolicy()
		for range policy.BreakerFailures {
			send(t, one, toolDown())
		}
		if got := send(t, other, result()); got.Verdict.Hold != interceptors.HoldOpen || !got.Verdict.Refused {
			t.Errorf("the other lets it pass: %+v", got.Verdict)
		}
		time.Sleep(policy.BreakerOpen)
		// The one that opened it looks first.
		if got := send(t, other, result()); !got.Verdict.Refused {
			t.Error("the other looks as soon as the one that opened it")
		}
		if got := send(t, one, result()); got.Error != nil {
			t.Errorf("got %v", got.Error)
		}
		if got := send(t, other, result()); got.Error != nil {
			t.Errorf("it closed, and the other refuses: %v", got.Error)
		}
		if len(w.posts) != 2 {
			t.Errorf("%d notices: %v", len(w.posts), w.posts)
		}
	})
}

func TestAReplicaLooksItselfWhereTheOtherDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, other, _ := twoRooms()
		policy := interceptors.DefaultPolicy()
		for range policy.BreakerFailures {
			send(t, one, toolDown())
		}
		time.Sleep(policy.BreakerOpen + probeWait)
		if got := send(t, other, result()); got.Error != nil {
			t.Errorf("got %v", got.Error)
		}
	})
}

func TestAPauseHoldsAtAllReplicasAndIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, other, w := twoRooms()
		send(t, one, result())
		time.Sleep(scoutMost)
		release := make(chan struct{})
		var all sync.WaitGroup
		for range 20 { // in flight together, refused one after the other
			all.Go(func() {
				_, _ = one.handle(t.Context(), newCall("u", "t"), func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
					<-release
					return hinted(10), nil
				})
			})
		}
		synctest.Wait()
		close(release)
		all.Wait()
		checkRefused(t, send(t, other, result()), interceptors.HoldCooldown, 10*time.Second)
		if len(w.posts) != 1 {
			t.Errorf("%d notices: %v", len(w.posts), w.posts)
		}
		time.Sleep(10 * time.Second)
		if got := send(t, other, result()); got.Error != nil {
			t.Errorf("got %v", got.Error)
		}
	})
}

func TestNoticesOfUnknownKindsAndTimesAreHarmless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(WithShared(nil))
		for _, n := range []interceptors.Notice{
			{Upstream: "u", Kind: 9, Hold: time.Hour, Hint: time.Hour},
			{Upstream: "u", Kind: interceptors.NoticeOpened, Hold: -time.Hour},
			{Upstream: "u", Kind: interceptors.NoticePaused, Hold: -1, Hint: -1},
			{Upstream: "u", Kind: interceptors.NoticeClosed},
		} {
			r.heed(n)
		}
		if got := send(t, r, result()); got.Error != nil {
			t.Errorf("got %v", got.Error)
		}
	})
}
