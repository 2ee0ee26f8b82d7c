package tokens_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/tokens"
)

// endpoint is a token endpoint. The last answer repeats.
type endpoint struct {
	mu      sync.Mutex
	answers []func(*http.Request) (*http.Response, error)
	seen    []seen
	slow    time.Duration
}

type seen struct {
	form     url.Values
	id, pass string
	at       time.Time
}

func (e *endpoint) RoundTrip(req *http.Request) (*http.Response, error) {
	text, _ := io.ReadAll(req.Body)
	form, _ := url.ParseQuery(string(text))
	id, pass, _ := req.BasicAuth()
	e.mu.Lock()
	e.seen = append(e.seen, seen{form, id, pass, time.Now()})
	answer := e.answers[0]
	if len(e.answers) > 1 {
		e.answers = e.answers[1:]
	}
	slow := e.slow
	e.mu.Unlock()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	return answer(req)
}

func (e *endpoint) asked() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.seen)
}

func say(code int, body string, headers ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		header := http.Header{}
		for i := 0; i+1 < len(headers); i += 2 {
			header.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: code, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func token(name string, seconds any) func(*http.Request) (*http.Response, error) {
	return say(http.StatusOK, fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":%v}`, name, seconds))
}

func source(e *endpoint, answers ...func(*http.Request) (*http.Response, error)) *tokens.Source {
	e.answers = answers
	return tokens.New(tokens.Settings{
		URL: "https://login.test/token", ClientID: "gate way", ClientSecret: "s3:cret", Scopes: []string{"read", "write"},
		Parameters: map[string]string{"audience": "crm"}, Transport: e,
	})
}

func expect(t *testing.T, s *tokens.Source, want string) {
	t.Helper()
	if got, failed := s.Token(t.Context()); got != want || failed != nil {
		t.Errorf("got %q, %+v; want %q", got, failed, want)
	}
}

func TestATokenIsFetchedOnceForAllAndAgainBeforeItExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{slow: time.Second}
		s := source(e, token("one", 100), token("two", `"100"`), token("three", 100))
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { expect(t, s, "one") })
		}
		all.Wait()
		if e.asked() != 1 {
			t.Fatalf("%d requests for 50 calls", e.asked())
		}
		time.Sleep(89 * time.Second)
		expect(t, s, "one")
		time.Sleep(2 * time.Second)
		expect(t, s, "one") // the next is on its way
		time.Sleep(2 * time.Second)
		expect(t, s, "two")
		time.Sleep(time.Hour)
		start := time.Now()
		expect(t, s, "three") // nothing is left: it is waited for
		if time.Since(start) != time.Second || e.asked() != 3 {
			t.Errorf("waited %s, %d requests", time.Since(start), e.asked())
		}
		first := e.seen[0]
		if first.id != "gate+way" || first.pass != "s3%3Acret" || first.form.Encode() != "audience=crm&grant_type=client_credentials&scope=read+write" {
			t.Errorf("asked as %q %q for %s", first.id, first.pass, first.form.Encode())
		}
	})
}

func TestARefusedTokenIsReplacedOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		s := source(e, token("one", 3600), token("two", 3600))
		expect(t, s, "one")
		if got, failed := s.Renew(t.Context(), "one"); got != "" || failed != nil {
			t.Errorf("a token of this very moment is replaced by %q, %v", got, failed)
		}
		time.Sleep(time.Minute)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if got, failed := s.Renew(t.Context(), "one"); got != "two" || failed != nil {
					t.Errorf("got %q, %v", got, failed)
				}
			})
		}
		all.Wait()
		expect(t, s, "two")
		if e.asked() != 2 {
			t.Errorf("%d requests", e.asked())
		}
		time.Sleep(time.Minute)
		if got, failed := s.Renew(t.Context(), "two"); got != "" || failed != nil { // the endpoint has no other
			t.Errorf("got %q, %v", got, failed)
		}
	})
}

func TestATokenThatCantBeHadEndsTheAttemptBeforeItBegan(t *testing.T) {
	network := func(err error) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	for name, c := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		kind   interceptors.TransportFailure
		class  string
		wait   float64
	}{
		"refused":             {network(sendError{interceptors.FailureRefused}), interceptors.FailureRefused, "", 0},
		"no such host":        {network(sendError{interceptors.FailureDNSNotFound}), interceptors.FailureDNSNotFound, "", 0},
		"a strange failure":   {network(errors.New("eof")), interceptors.FailureOther, "", 0},
		"an address guarded":  {network(sendError{interceptors.FailureRequest}), interceptors.FailureRequest, "TERMINAL", 0},
		"invalid_client":      {say(401, `{"error":"invalid_client","error_description":"secret s3:cret"}`), interceptors.FailureRequest, "TERMINAL", 0},
		"invalid_scope":       {say(400, `{"error":"invalid_scope"}`), interceptors.FailureRequest, "TERMINAL", 0},
		"another place":       {say(302, "", "Location", "https://evil.test"), interceptors.FailureRequest, "TERMINAL", 0},
		"busy":                {say(429, "", "Retry-After", "7"), interceptors.FailureRequest, "TRANSIENT", 7},
		"broken":              {say(503, "<html>"), interceptors.FailureRequest, "TRANSIENT", 0},
		"not JSON":            {say(200, "token"), interceptors.FailureRequest, "TERMINAL", 0},
		"no token":            {say(200, "{}"), interceptors.FailureRequest, "TERMINAL", 0},
		"another kind":        {say(200, `{"access_token":"a","token_type":"mac"}`), interceptors.FailureRequest, "TERMINAL", 0},
		"a header smuggled":   {say(200, `{"access_token":"a\r\nX-Admin: 1"}`), interceptors.FailureRequest, "TERMINAL", 0},
		"a token without end": {say(200, `{"access_token":"`+strings.Repeat("a", 20<<10)+`"}`), interceptors.FailureRequest, "TERMINAL", 0},
		"a flood":             {say(200, `{"access_token":"a","x":"`+strings.Repeat("a", 100<<10)+`"}`), interceptors.FailureRequest, "TERMINAL", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			got, failed := source(&endpoint{}, c.answer).Token(t.Context())
			if got != "" || failed == nil || failed.Failure != c.kind || failed.Sent {
				t.Fatalf("%s: %q, %+v", name, got, failed)
			}
			if class := strings.TrimPrefix(failed.ToolError.GetErrorClass().String(), "ERROR_CLASS_"); c.class != "" && class != c.class {
				t.Errorf("%s: %s, want %s", name, class, c.class)
			}
			if failed.ToolError.GetRetryAfter() != c.wait {
				t.Errorf("%s: retry after %v, want %v", name, failed.ToolError.GetRetryAfter(), c.wait)
			}
			if text := failed.ToolError.GetMessage() + failed.Cause; strings.Contains(text, "s3") {
				t.Errorf("%s: the secret stands in %q", name, text)
			}
		})
	}
}

type sendError struct{ kind interceptors.TransportFailure }

func (sendError) Error() string                                              { return "no connection" }
func (e sendError) Failure() (kind interceptors.TransportFailure, sent bool) { return e.kind, true }

func TestAClientThatIsNotAcceptedIsNotTriedAtEveryCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		s := source(e, say(401, `{"error":"invalid_client"}`))
		for range 20 {
			if _, failed := s.Token(t.Context()); failed == nil {
				t.Fatal("there is a token")
			}
		}
		if e.asked() != 2 { // once in the header, once in the body
			t.Errorf("%d requests", e.asked())
		}
		e.answers = []func(*http.Request) (*http.Response, error){token("one", 60)}
		time.Sleep(11 * time.Second)
		expect(t, s, "one")
	})
}

func TestSomeEndpointsWantTheClientInTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		s := source(e, say(400, `{"error":"invalid_request"}`), token("one", 10), token("two", 10))
		expect(t, s, "one")
		time.Sleep(time.Minute)
		expect(t, s, "two")
		if e.asked() != 3 || e.seen[1].form.Get("client_secret") != "s3:cret" || e.seen[2].form.Get("client_id") != "gate way" || e.seen[2].id != "" {
			t.Errorf("%+v", e.seen)
		}
	})
}

func TestACallWaitsForATokenNoLongerThanItMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{slow: time.Hour}
		s := source(e, token("one", 10))
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, interceptors.ErrAttemptTimeout)
		defer cancel()
		if _, failed := s.Token(ctx); failed.Failure != interceptors.FailureTimeout || failed.Sent {
			t.Errorf("%+v", failed)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, failed := s.Token(gone); failed.Failure != interceptors.FailureCancelled {
			t.Errorf("%+v", failed)
		}
		if _, failed := s.Token(t.Context()); failed.Failure != interceptors.FailureTimeout { // the fetch has an end of its own
			t.Errorf("%+v", failed)
		}
	})
}
