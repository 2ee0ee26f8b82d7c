package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	keysFresh    = time.Hour
	keysHold     = 24 * time.Hour
	fetchPause   = 15 * time.Second
	fetchTimeout = 5 * time.Second
	maxSetBytes  = 1 << 20
)

// Remote keeps the keys of issuers that are found at a URL. It is safe for concurrent
// use.
type Remote struct {
	client *http.Client
	failed func(url string, err error)

	mu   sync.Mutex // guards sets
	sets map[string]*remoteKeys
}

// NewRemote makes a Remote. failed is told when keys can't be fetched; nil: nobody
// is.
func NewRemote(client *http.Client, failed func(url string, err error)) *Remote {
	if failed == nil {
		failed = func(string, error) {}
	}
	return &Remote{client: client, failed: failed, sets: map[string]*remoteKeys{}}
}

func (r *Remote) of(url string) *remoteKeys {
	r.mu.Lock()
	defer r.mu.Unlock()
	set, known := r.sets[url]
	if !known {
		set = &remoteKeys{remote: r, url: url}
		r.sets[url] = set
	}
	return set
}

// remoteKeys are those of one URL.
type remoteKeys struct {
	remote *Remote
	url    string

	mu      sync.Mutex // guards the rest
	keys    fixedKeys
	fetched time.Time     // successfully; zero: never
	tried   time.Time     // zero: never
	flight  chan struct{} // closed when the fetch that is under way has ended; nil: none is
}

// find waits for a fetch only where the key is not among those that hold: when it is
// new, or was made up by the caller. That is why fetches have a pause between them.
func (k *remoteKeys) find(ctx context.Context, id string) ([]jose.JSONWebKey, *Refusal) {
	found, wait := k.look(id, time.Now())
	if wait == nil {
		return k.judged(found)
	}
	select {
	case <-wait:
	case <-ctx.Done():
		return nil, k.unavailable()
	}
	k.mu.Lock()
	found = k.held(id, time.Now())
	k.mu.Unlock()
	return k.judged(found)
}

func (k *remoteKeys) judged(found []jose.JSONWebKey) ([]jose.JSONWebKey, *Refusal) {
	k.mu.Lock()
	holds := k.holds(time.Now())
	k.mu.Unlock()
	switch {
	case !holds:
		return nil, k.unavailable()
	case len(found) == 0:
		return nil, refuse(Invalid, "unknown_signing_key")
	}
	return found, nil
}

func (*remoteKeys) unavailable() *Refusal {
	return &Refusal{Reason: Unavailable, Detail: "no_issuer_keys", Retry: fetchPause}
}

// look returns the keys of that id, and begins a fetch where one is due; wait is not
// nil where it is worth waiting for.
func (k *remoteKeys) look(id string, now time.Time) (found []jose.JSONWebKey, wait <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found = k.held(id, now)
	if len(found) > 0 && now.Sub(k.fetched) < keysFresh {
		return found, nil
	}
	k.begin(now)
	if len(found) > 0 || k.flight == nil {
		return found, nil
	}
	return nil, k.flight
}

// begin begins a fetch, unless one is under way or has just been. It is called with
// the lock held.
func (k *remoteKeys) begin(now time.Time) {
	if k.flight == nil && (k.tried.IsZero() || now.Sub(k.tried) >= fetchPause) {
		k.tried, k.flight = now, make(chan struct{})
		go k.fetch(k.flight)
	}
}

func (k *remoteKeys) renew(ctx context.Context) (came bool, unsure *Refusal) {
	k.mu.Lock()
	before := k.fetched
	k.begin(time.Now())
	wait := k.flight
	k.mu.Unlock()
	if wait == nil {
		return false, nil
	}
	select {
	case <-wait:
	case <-ctx.Done():
		return false, k.unavailable()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fetched.After(before), nil
}

// held and holds are called with the lock held.
func (k *remoteKeys) held(id string, now time.Time) []jose.JSONWebKey {
	if !k.holds(now) {
		return nil
	}
	return k.keys.of(id)
}

func (k *remoteKeys) holds(now time.Time) bool {
	return !k.fetched.IsZero() && now.Sub(k.fetched) < keysHold
}

// fetch is nobody's own: callers that wait for it may go.
func (k *remoteKeys) fetch(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	keys, err := k.remote.get(ctx, k.url)
	if err != nil {
		k.remote.failed(k.url, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.keys, k.fetched = keys, time.Now()
	}
	k.flight = nil
	close(done)
}

var errTooLarge = errors.New("the answer is too large for a JWK Set")

func (r *Remote) get(ctx context.Context, url string) (fixedKeys, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json")
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s", resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxSetBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxSetBytes:
		return nil, errTooLarge
	}
	return parseKeys(text)
}
