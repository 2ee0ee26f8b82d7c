package access

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

// endpoint is where an issuer shows its keys.
type endpoint struct {
	mu    sync.Mutex
	body  string
	code  int
	err   error
	slow  time.Duration
	asked atomic.Int32
}

func (e *endpoint) show(body string) { e.set(http.StatusOK, body, nil) }

func (e *endpoint) set(code int, body string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.code, e.body, e.err = code, body, err
}

// RoundTrip implements http.RoundTripper.
func (e *endpoint) RoundTrip(req *http.Request) (*http.Response, error) {
	e.asked.Add(1)
	e.mu.Lock()
	code, body, err, slow := e.code, e.body, e.err, e.slow
	e.mu.Unlock()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

func remote(t testing.TB, e *endpoint) *Policy {
	t.Helper()
	policy, faults := Compile(file(func(f *accessv1.Access) {
		f.Issuers["corp"].JwksFile, f.Issuers["corp"].JwksUrl = "", "https://login.corp/keys"
	}), Options{Remote: NewRemote(&http.Client{Transport: e}, nil)})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return policy
}

func TestKeysOfAnIssuerChangeWithoutAnybodyNoticing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newSigner(t, "k1"), newSigner(t, "k2")
		e := &endpoint{}
		e.show(string(setOf(t, first.public())))
		policy := remote(t, e)
		expect := func(s *signer, want Reason, asked int32) {
			t.Helper()
			if _, reason := who(t, policy, Credential{Bearer: s.sign(t, good(with("jti", time.Now().String())))}); reason != want || e.asked.Load() != asked {
				t.Errorf("%s: %v after %d fetches; want %v after %d", s.id, reason, e.asked.Load(), want, asked)
			}
		}
		expect(first, 0, 1)
		expect(first, 0, 1)
		expect(second, Invalid, 1) // the keys have just been fetched
		time.Sleep(fetchPause)
		expect(second, Invalid, 2) // it is asked for, and not there
		e.show(string(setOf(t, first.public(), second.public())))
		expect(second, Invalid, 2)
		time.Sleep(fetchPause)
		expect(second, 0, 3)

		e.show(string(setOf(t, second.public())))
		time.Sleep(keysFresh)
		start := time.Now()
		if _, reason := who(t, policy, Credential{Bearer: first.sign(t, good())}); reason != 0 || time.Since(start) > 0 {
			t.Errorf("the fetch that is due keeps a caller waiting: %v after %s", reason, time.Since(start))
		}
		synctest.Wait()
		if e.asked.Load() != 4 {
			t.Errorf("%d fetches after an hour, want 4", e.asked.Load())
		}
		time.Sleep(fetchPause)
		expect(first, Invalid, 5) // it was taken back
	})
}

// Some issuers give the id of an old key to a new one.
func TestANewKeyOfAnOldNameIsFoundAndPausesHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newSigner(t, "1"), newSigner(t, "1")
		e := &endpoint{}
		e.show(string(setOf(t, first.public())))
		policy := remote(t, e)
		if _, reason := who(t, policy, Credential{Bearer: first.sign(t, good())}); reason != 0 {
			t.Fatal(reason)
		}
		e.show(string(setOf(t, second.public())))
		for range 10 {
			if _, reason := who(t, policy, Credential{Bearer: second.sign(t, good())}); reason != Invalid || e.asked.Load() != 1 {
				t.Errorf("at once: %v after %d fetches", reason, e.asked.Load())
			}
		}
		time.Sleep(fetchPause)
		gone, leave := context.WithCancel(t.Context())
		leave() // who does not wait is not called a stranger
		e.slow = time.Second
		if _, refusal := policy.Identify(gone, Credential{Bearer: second.sign(t, good())}); refusal == nil || refusal.Reason != Unavailable {
			t.Errorf("without waiting: %+v", refusal)
		}
		if _, reason := who(t, policy, Credential{Bearer: second.sign(t, good())}); reason != 0 || e.asked.Load() != 2 {
			t.Errorf("after the pause: %v after %d fetches", reason, e.asked.Load())
		}
	})
}

func TestMadeUpKeysDontHaveTheIssuerAskedEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{slow: time.Second}
		e.show(string(setOf(t, newSigner(t, "k1").public())))
		policy := remote(t, e)
		var waiting sync.WaitGroup
		for range 100 {
			waiting.Go(func() { who(t, policy, Credential{Bearer: newSigner(t, "made-up").sign(t, good())}) })
		}
		waiting.Wait()
		if e.asked.Load() != 1 {
			t.Errorf("%d fetches for 100 strangers", e.asked.Load())
		}
	})
}

func TestWithoutKeysNobodyIsCalledAStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		corp := newSigner(t, "k1")
		e := &endpoint{}
		policy := remote(t, e)
		token := func() Credential { return Credential{Bearer: corp.sign(t, good(with("jti", time.Now().String())))} }
		for _, broken := range []func(){
			func() { e.set(0, "", errors.New("no route")) },
			func() { e.set(http.StatusInternalServerError, "", nil) },
			func() { e.set(http.StatusOK, "<html>", nil) },
			func() { e.set(http.StatusOK, `{"keys":[], "x":"`+strings.Repeat("x", maxSetBytes)+`"}`, nil) },
		} {
			broken()
			if _, reason := who(t, policy, token()); reason != Unavailable {
				t.Errorf("got %v, want unavailable", reason)
			}
			time.Sleep(fetchPause)
		}
		e.show(string(setOf(t, corp.public())))
		if _, reason := who(t, policy, token()); reason != 0 {
			t.Errorf("with keys again: %v", reason)
		}
		e.set(http.StatusServiceUnavailable, "", nil)
		time.Sleep(keysHold - time.Minute)
		if _, reason := who(t, policy, token()); reason != 0 {
			t.Errorf("after 23 hours without an answer: %v", reason)
		}
		time.Sleep(2 * time.Minute)
		if _, reason := who(t, policy, token()); reason != Unavailable {
			t.Errorf("after a day without an answer: %v", reason)
		}
	})
}

func TestACallerWaitsForKeysNoLongerThanItMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		corp := newSigner(t, "k1")
		e := &endpoint{slow: 3 * time.Second}
		e.show(string(setOf(t, corp.public())))
		policy := remote(t, e)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, refusal := policy.Identify(ctx, Credential{Bearer: corp.sign(t, good())})
		if refusal == nil || refusal.Reason != Unavailable || time.Since(start) != time.Second {
			t.Errorf("%+v after %s", refusal, time.Since(start))
		}
		time.Sleep(3 * time.Second) // what it waited for comes to others
		if _, reason := who(t, policy, Credential{Bearer: corp.sign(t, good())}); reason != 0 || e.asked.Load() != 1 {
			t.Errorf("%v after %d fetches", reason, e.asked.Load())
		}
	})
}

func TestKeysOutliveTheFileThatNamesTheirIssuer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, corp := &endpoint{}, newSigner(t, "k1")
		e.show(string(setOf(t, corp.public())))
		kept := NewRemote(&http.Client{Transport: e}, nil)
		for range 2 {
			policy, _ := Compile(file(func(f *accessv1.Access) {
				f.Issuers["corp"].JwksFile, f.Issuers["corp"].JwksUrl = "", "https://login.corp/keys"
			}), Options{Remote: kept})
			if _, reason := who(t, policy, Credential{Bearer: corp.sign(t, good())}); reason != 0 {
				t.Error(reason)
			}
			e.set(0, "", errors.New("gone"))
		}
	})
}
