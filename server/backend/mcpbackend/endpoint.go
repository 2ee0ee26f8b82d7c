package mcpbackend

import (
	"bytes"
	"context"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// Headers of the streamable HTTP transport.
const (
	headerSession  = "Mcp-Session-Id"
	headerProtocol = "Mcp-Protocol-Version"
	headerMethod   = "Mcp-Method"
	headerName     = "Mcp-Name"
	headerParam    = "Mcp-Param-"
	headerLastID   = "Last-Event-ID"

	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"
)

const (
	maxRedirects    = 3
	maxRefusalBytes = 256 << 10
	asideTimeout    = 5 * time.Second // for what nobody waits for
)

// endpoint is the way of our own questions to a server over HTTP, beside the
// SDK's session.
type endpoint struct {
	url     string
	header  http.Header // the catalogue's, and those of the session
	over    http.RoundTripper
	session string // its id; empty: the server keeps none
	notify  bool   // whether a cancellation is a message (up to 2025-11-25)
	changed func()
	heard   func(notification []byte) // how far a tool is

	latest  atomic.Int64
	expired atomic.Bool     // the server knows the session no longer
	life    context.Context //nolint:containedctx // of the session, for what outlives a call
	end     context.CancelFunc
	aside   sync.WaitGroup
}

// ask implements wire.
func (e *endpoint) ask(ctx context.Context, q *question) (*answer, error) {
	id := firstID + e.latest.Add(1)
	resp, err := e.post(ctx, q.frame(id), q.header)
	if err != nil {
		failure := lostBy(ctx, err)
		if failure.sent && ctx.Err() != nil {
			e.cancel(id)
		}
		return nil, failure
	}
	defer func() { _ = resp.Body.Close() }() // nothing is left to lose
	a, err := e.receive(ctx, resp, id, q.limit)
	if err != nil && ctx.Err() != nil {
		e.cancel(id)
	}
	return a, err
}

func (e *endpoint) cancel(id int64) {
	if e.notify {
		e.tell(cancellation(id))
	}
}

// tell posts what nobody waits for.
func (e *endpoint) tell(text []byte) {
	e.aside.Go(func() {
		ctx, cancel := context.WithTimeout(e.life, asideTimeout)
		defer cancel()
		if resp, err := e.post(ctx, text, nil); err == nil {
			_ = resp.Body.Close() // only the sending counts
		}
	})
}

func (e *endpoint) post(ctx context.Context, text []byte, header http.Header) (*http.Response, error) {
	return follow(e.url, func(target string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(text))
		if err != nil {
			return nil, &unsent{err}
		}
		req.Header = maps.Clone(e.header)
		maps.Copy(req.Header, header)
		req.Header.Set("Content-Type", mediaJSON)
		req.Header.Set("Accept", mediaJSON+", "+mediaEvents)
		return e.over.RoundTrip(req)
	})
}

// get opens a stream of what the server has to say; lastID goes on with one that
// broke off.
func (e *endpoint) get(ctx context.Context, lastID string) (*http.Response, error) {
	return follow(e.url, func(target string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
		if err != nil {
			return nil, &unsent{err}
		}
		req.Header = maps.Clone(e.header)
		req.Header.Set("Accept", mediaEvents)
		if lastID != "" {
			req.Header.Set(headerLastID, lastID)
		}
		req.Body = nil
		return e.over.RoundTrip(req)
	})
}

// unsent is a request that could not be made.
type unsent struct{ error }

// Failure tells it as a round tripper would.
func (*unsent) Failure() (interceptors.TransportFailure, bool) {
	return interceptors.FailureRequest, false
}

// follow sends a request and, where the server moved and stays the same system,
// sends it there: whoever answers 307 or 308 has not run it.
func follow(target string, send func(target string) (*http.Response, error)) (*http.Response, error) {
	for range maxRedirects {
		resp, err := send(target)
		if err != nil {
			return nil, err
		}
		next := moved(target, resp)
		if next == "" {
			return resp, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be kept
		_ = resp.Body.Close()
		target = next
	}
	return send(target)
}

func moved(from string, resp *http.Response) string {
	if resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect {
		return ""
	}
	base, err := url.Parse(from)
	if err != nil {
		return ""
	}
	to, err := base.Parse(resp.Header.Get("Location"))
	if err != nil || !sameSystem(base, to) {
		return ""
	}
	return to.String()
}

// sameSystem allows the same origin, and the step from http to https on the
// default ports.
func sameSystem(from, to *url.URL) bool {
	if to.User != nil || !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return from.Port() == to.Port()
	}
	return from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == ""
}

// receive reads what came for a question.
func (e *endpoint) receive(ctx context.Context, resp *http.Response, id int64, limit int) (*answer, error) {
	switch kind := mediaOf(resp); {
	case resp.StatusCode/100 != 2:
		return e.refused(resp, id)
	case kind == mediaEvents:
		return e.hear(ctx, resp, id, limit)
	}
	text, size, err := readBounded(resp, limit)
	if err != nil {
		return nil, lostIn(ctx, interceptors.FailureBodyCut, err)
	}
	if size != 0 {
		if m, ok := readMessage(mend(text)); ok && m.method == "" {
			return m.answer(true), nil
		}
		return nil, lostIn(ctx, interceptors.FailureBodyCut, errNoAnswer)
	}
	if a := e.find(text, id); a != nil {
		return a, nil
	}
	return nil, lostIn(ctx, interceptors.FailureBodyCut, errNoAnswer)
}

// find looks for the response to a question among messages, and takes care of the
// others.
func (e *endpoint) find(text []byte, id int64) (a *answer) {
	if !valid(text) {
		return nil
	}
	for _, m := range messages(text) {
		number, numbered := m.number()
		switch {
		case m.method == methodListChanged:
			e.changed()
		case m.method == methodProgress:
			e.heard(m.text)
		case m.method != "" && m.id != nil:
			e.tell(response(m.id, m.method))
		case m.method == "" && numbered && number == id:
			a = m.answer(false)
		case m.nameless() && id != 0 && a == nil: // a server that could not read the id
			a = m.answer(false)
		}
	}
	return a
}

// refused reads a response whose status is none of success. Since 2026-07-28 the
// errors of JSON-RPC come so, too; and some servers tell by 400 that there is no such
// session.
func (e *endpoint) refused(resp *http.Response, id int64) (*answer, error) {
	body, size, _ := readBounded(resp, maxRefusalBytes) // the status says enough where it is torn
	said, ours := faultIn(body, size, id)
	missing := resp.StatusCode == http.StatusNotFound && !ours ||
		resp.StatusCode == http.StatusBadRequest && said != nil && deniesSession(said)
	if e.session != "" && missing {
		return nil, e.expire()
	}
	r := &refusal{status: resp.StatusCode, header: resp.Header, body: body, size: size}
	if said == nil {
		return &answer{refusal: r}, nil
	}
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusInternalServerError:
		if ours {
			return &answer{fault: said}, nil
		}
	}
	r.body = said.body()
	return &answer{refusal: r}, nil
}

// faultIn is the error of JSON-RPC that a body is; ours: it answers the question.
func faultIn(body []byte, size, id int64) (said *fault, ours bool) {
	if size != 0 || !valid(body) {
		return nil, false
	}
	m, ok := readMessage(body)
	if !ok || m.method != "" {
		return nil, false
	}
	number, numbered := m.number()
	return m.answer(false).fault, numbered && number == id
}

// expire is how a question fails that the server refused with its session: it ran
// nothing of it.
func (e *endpoint) expire() *lost {
	e.expired.Store(true)
	return &lost{kind: interceptors.FailureRefused, expired: true, cause: errExpired}
}

func mediaOf(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// readBounded returns at most limit bytes; size as Reply.BodySize.
func readBounded(resp *http.Response, limit int) (body []byte, size int64, err error) {
	body, err = io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	if len(body) > limit {
		return body[:limit], -1, nil
	}
	return body, 0, err
}

// close ends what runs aside, and the session on the server.
func (e *endpoint) close() {
	if e.session != "" && !e.expired.Load() {
		e.bye()
	}
	e.end()
	e.aside.Wait()
}

func (e *endpoint) bye() {
	ctx, cancel := context.WithTimeout(e.life, asideTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, e.url, nil)
	if err != nil {
		return
	}
	req.Header = maps.Clone(e.header)
	if resp, err := e.over.RoundTrip(req); err == nil {
		_ = resp.Body.Close() // a server may not know how to end one
	}
}
