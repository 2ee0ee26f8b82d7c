package rest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
)

// keepAlive is how often a stream on which nothing happens says so, so that
// nobody in between takes it for dead.
const keepAlive = 15 * time.Second

const eventsType = "text/event-stream"

// wantsEvents reports whether the caller reads server-sent events.
func wantsEvents(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept") {
		for kind := range strings.SplitSeq(header, ",") {
			kind, _, _ = strings.Cut(kind, ";")
			if strings.EqualFold(strings.TrimSpace(kind), eventsType) {
				return true
			}
		}
	}
	return false
}

// streamCall answers one call in events: progress, then done.
func (d *Door) streamCall(ctx context.Context, w http.ResponseWriter, req *toolgatev1.CallToolRequest) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newStream(w, cancel)
	resp, err := d.house.CallTool(ctx, req, func(p *toolgatev1.CallProgress) { s.progress(0, p) })
	if err != nil {
		return s.fail(inTheBody(err))
	}
	s.done(0, resp)
	s.end()
	return nil
}

// streamBatch answers the calls of a batch in events, as they come.
func (d *Door) streamBatch(ctx context.Context, w http.ResponseWriter, req *toolgatev1.CallToolsRequest) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newStream(w, cancel)
	err := d.house.CallTools(ctx, req, func(event *toolgatev1.CallToolsResponse) error {
		if p := event.GetProgress(); p != nil {
			s.progress(event.GetIndex(), p)
		}
		if done := event.GetDone(); done != nil {
			s.done(event.GetIndex(), done)
		}
		return ctx.Err()
	})
	if err != nil {
		return s.fail(err)
	}
	s.end()
	return nil
}

// stream sends events (the event-stream format of the HTML standard). Until the
// first of them an error can still be an answer of its own.
type stream struct {
	control *http.ResponseController
	gone    context.CancelFunc // the caller's calls end with the caller

	mu     sync.Mutex // guards the rest: calls and the ticker write
	w      http.ResponseWriter
	begun  bool
	ended  bool
	ticker *time.Timer
}

func newStream(w http.ResponseWriter, gone context.CancelFunc) *stream {
	s := &stream{control: http.NewResponseController(w), gone: gone, w: w}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ticker = time.AfterFunc(keepAlive, s.keepAlive)
	return s
}

// end closes the stream: nothing is sent from now on.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.ticker.Stop()
}

// fail ends the stream with a problem; before the first event that is the whole
// answer, and left to the caller.
func (s *stream) fail(err error) error {
	s.mu.Lock()
	begun := s.begun
	s.ended = s.ended || !begun
	s.mu.Unlock()
	if begun {
		s.send("problem", door.ProblemOf(err).Text())
		err = nil
	}
	s.end()
	return err
}

func (s *stream) progress(index uint32, p *toolgatev1.CallProgress) {
	s.send("progress", progressText(index, p))
}

func (s *stream) done(index uint32, resp *toolgatev1.CallToolResponse) {
	s.send("done", appendDone(nil, index, resp))
}

// send writes one event. JSON that is compact has no line breaks.
func (s *stream) send(event string, data []byte) {
	text := make([]byte, 0, len(event)+len(data)+len("event: \ndata: \n\n"))
	text = append(append(append(text, "event: "...), event...), "\ndata: "...)
	s.write(append(append(text, data...), "\n\n"...))
}

func (s *stream) keepAlive() { s.write([]byte(": waiting\n\n")) }

func (s *stream) write(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if !s.begun {
		s.begin()
	}
	_, err := s.w.Write(text) //nolint:gosec // events, and said to be so
	if err == nil {
		err = s.control.Flush()
	}
	if err != nil {
		s.ended = true
		s.gone()
		return
	}
	s.ticker.Reset(keepAlive)
}

// begin writes the head. It is called with the lock held.
func (s *stream) begin() {
	s.begun = true
	header := s.w.Header()
	header.Set("Content-Type", eventsType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Accel-Buffering", "no") // proxies that hold answers back
	s.w.WriteHeader(http.StatusOK)
}

func progressText(index uint32, p *toolgatev1.CallProgress) []byte {
	w := writer{text: []byte{'{'}}
	w.number("index", uint64(index))
	w.string("phase", strings.ToLower(strings.TrimPrefix(p.GetPhase().String(), "PHASE_")))
	w.number("attempt", uint64(p.GetAttempt()))
	w.some("max_attempts", uint64(p.GetMaxAttempts()))
	w.amount("wait", p.GetWait())
	w.string("code", p.GetCode())
	w.amount("progress", p.GetProgress())
	w.amount("total", p.GetTotal())
	w.string("message", p.GetMessage())
	return w.end()
}
