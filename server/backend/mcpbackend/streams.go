package mcpbackend

import (
	"context"
	"net/http"
	"regexp"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	resumeAfter     = time.Second // unless the stream says otherwise
	maxResumeAfter  = time.Minute
	maxResumes      = 5 // without a word in between
	maxNoticeBytes  = 1 << 20
	listenAfter     = time.Second // doubling
	maxListenAfter  = time.Minute
	steadyListening = 10 * time.Second
)

// stream is a stream of events that may be gone on with where it broke off.
type stream struct {
	lastID string
	pause  time.Duration
	idle   int // resumptions without a word
}

// hear reads a stream until the response to a question comes.
func (e *endpoint) hear(ctx context.Context, resp *http.Response, id int64, limit int) (*answer, error) {
	s := stream{pause: resumeAfter}
	for {
		a, err := e.readStream(&s, resp, id, limit)
		if a != nil {
			return a, nil
		}
		if s.lastID == "" || s.idle > maxResumes || ctx.Err() != nil {
			return nil, lostIn(ctx, interceptors.FailureReset, err)
		}
		if resp, err = e.resume(ctx, &s); err != nil {
			return nil, lostIn(ctx, interceptors.FailureReset, err)
		}
		defer func(resp *http.Response) { _ = resp.Body.Close() }(resp) // at most a few
	}
}

// readStream reads one response's events. A message that is cut is the answer: in
// the stream of a question nothing else is that long.
func (e *endpoint) readStream(s *stream, resp *http.Response, id int64, limit int) (*answer, error) {
	events := newEventReader(resp.Body, limit)
	s.idle++
	for {
		next, err := events.next()
		if err != nil {
			return nil, errSilent
		}
		s.idle = 0
		if next.id != "" {
			s.lastID = next.id
		}
		if next.retry >= 0 {
			s.pause = min(next.retry, maxResumeAfter)
		}
		switch {
		case len(next.data) == 0 || next.name != "" && next.name != "message":
		case next.cut:
			if m, ok := readMessage(mend(next.data)); ok && m.method == "" {
				return m.answer(true), nil
			}
		default:
			if a := e.find(next.data, id); a != nil {
				return a, nil
			}
		}
	}
}

// resume goes on with a stream that the server ended or lost.
func (e *endpoint) resume(ctx context.Context, s *stream) (*http.Response, error) {
	if err := sleep(ctx, s.pause); err != nil {
		return nil, err
	}
	resp, err := e.get(ctx, s.lastID)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || mediaOf(resp) != mediaEvents {
		_ = resp.Body.Close() // it can't be gone on with
		return nil, errSilent
	}
	return resp, nil
}

// listen follows what the server says without being asked, as long as the session
// lives; gone is called where it lives no longer. A server need not offer that, and
// some tell so by 404, as they tell of a session that is gone: it is taken for one
// where there was a stream before.
func (e *endpoint) listen(gone func()) {
	pause, lastID, heard := listenAfter, "", false
	for e.life.Err() == nil {
		begun := time.Now()
		resp, err := e.get(e.life, lastID)
		if err == nil {
			switch {
			case resp.StatusCode == http.StatusNotFound && e.session != "" && heard:
				_ = resp.Body.Close() // it says no more
				e.expired.Store(true)
				gone()
				return
			case resp.StatusCode != http.StatusOK || mediaOf(resp) != mediaEvents:
				_ = resp.Body.Close() // it offers none
				return
			}
			s := stream{lastID: lastID}
			heard = true
			_, _ = e.readStream(&s, resp, 0, maxNoticeBytes) // it ends as streams do
			_ = resp.Body.Close()
			lastID = s.lastID
		}
		if time.Since(begun) >= steadyListening {
			pause = listenAfter
		}
		if sleep(e.life, pause) != nil {
			return
		}
		pause = min(2*pause, maxListenAfter)
	}
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sessionDenials are how servers say by 400 that they know no such session: the
// sentences of the SDKs for TypeScript, Python, Java and C#, from their start.
var sessionDenials = regexp.MustCompile(
	`^(?i:bad request: (no valid session id provided|server not initialized|mcp-session-id header is required|invalid session id|invalid or missing session id)` +
		`|(invalid or missing |missing |unknown |invalid )session ?id|session not found|session id (missing|not found|required))`)

func deniesSession(f *fault) bool { return sessionDenials.MatchString(f.message) }
