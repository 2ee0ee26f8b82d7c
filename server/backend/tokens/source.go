package tokens

import (
	"context"
	"net/http"
	"sync"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	earlyShare   = 10 // a tenth of its life before its end
	earlyMost    = time.Minute
	unsaidLife   = time.Hour
	settleTime   = 10 * time.Second // a token that is so young is not what is wrong
	refusalTime  = 10 * time.Second
	fetchTimeout = 10 * time.Second
)

// Settings say how a token is got.
type Settings struct {
	// URL is the token endpoint. Required.
	URL string
	// ClientID and ClientSecret are who asks. Required.
	ClientID, ClientSecret string
	// Scopes and Parameters go with the request.
	Scopes     []string
	Parameters map[string]string
	// Transport sends the request, once, and follows no redirect. Required.
	Transport http.RoundTripper
	// Report is told, for the operator, that no token can be had; it holds no secret.
	// nil: nobody is.
	Report func(problem string)
}

// Source keeps one token. It is safe for concurrent use.
type Source struct {
	settings Settings

	mu      sync.Mutex // guards the rest
	token   string
	fetched time.Time
	renewal time.Time // when another is to be fetched
	expires time.Time
	failed  *failure // why the latest was not fetched; nil: it was
	flight  *flight  // the fetch that is under way; nil: none is
	inBody  bool     // the endpoint wants the client in the body
}

// flight is one fetch, for all that wait for it.
type flight struct {
	ended  chan struct{} // then the rest is written
	token  string
	failed *failure
}

// New makes a source. Nothing is fetched until a token is wanted.
func New(settings Settings) *Source {
	if settings.Report == nil {
		settings.Report = func(string) {}
	}
	return &Source{settings: settings}
}

// Token returns the token to show, or the reply of an attempt that has none.
func (s *Source) Token(ctx context.Context) (token string, failed *interceptors.Reply) {
	return s.await(ctx, "")
}

// Renew returns the token to show after another was refused, or the reply of an
// attempt that has none. Both are empty where a new one would be refused as well: the
// refusal stands.
func (s *Source) Renew(ctx context.Context, refused string) (token string, failed *interceptors.Reply) {
	s.mu.Lock()
	young := s.token == refused && time.Since(s.fetched) < settleTime
	s.mu.Unlock()
	if young {
		return "", nil
	}
	token, failed = s.await(ctx, refused)
	if token == refused { // the endpoint has no other
		token = ""
	}
	return token, failed
}

// await waits for a token other than the one that was refused, if there is one.
func (s *Source) await(ctx context.Context, refused string) (string, *interceptors.Reply) {
	token, failed, under := s.look(refused, time.Now())
	if under == nil {
		return token, failed.reply()
	}
	select {
	case <-under.ended:
		return under.token, under.failed.reply()
	case <-ctx.Done():
		return "", done(ctx)
	}
}

// look returns the token, why there is none, or the fetch to wait for. One that is due
// begins.
func (s *Source) look(refused string, now time.Time) (token string, failed *failure, wait *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	good := s.token != "" && s.token != refused && now.Before(s.expires)
	if good && now.Before(s.renewal) {
		return s.token, nil, nil
	}
	if s.failed != nil && now.Before(s.failed.until) {
		if good {
			return s.token, nil, nil
		}
		return "", s.failed, nil
	}
	if s.flight == nil {
		s.flight = &flight{ended: make(chan struct{})}
		go s.fetch(s.flight)
	}
	if good {
		return s.token, nil, nil
	}
	return "", nil, s.flight
}

// fetch is nobody's own: calls that wait for it may go.
func (s *Source) fetch(under *flight) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	got, failed := s.ask(ctx)
	now := time.Now()
	if failed != nil {
		failed.until = now.Add(failed.pause)
		s.settings.Report(failed.problem)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed = failed; failed == nil {
		life := got.life()
		s.token, s.fetched = got.AccessToken, now
		under.token = got.AccessToken
		s.expires, s.renewal = now.Add(life), now.Add(life-min(earlyMost, life/earlyShare))
	}
	under.failed, s.flight = failed, nil
	close(under.ended)
}
