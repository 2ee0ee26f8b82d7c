package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"toolgate.dev/toolgate/interceptors/observe"
	"toolgate.dev/toolgate/internal/evidence"
)

const callsHeartbeat = 15 * time.Second

// callStream serves finished calls as they finish, as server-sent events
// (text/event-stream of the HTML standard): each `data` is one evidence.Call, as
// the log writes it. Parameters tool, class, run and code choose among them. An
// event `missed` says how many a slow reader lost; a comment every 15 s keeps the
// connection open. It never holds a call up. Other machines are refused, unless
// toAll: metrics may be scraped by all of a network, who calls what is not theirs.
func callStream(room *observe.Room, toAll bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !toAll && !fromHere(r.RemoteAddr) {
			http.Error(w, "calls are told to this machine alone", http.StatusForbidden)
			return
		}
		listener, ok := room.Listen()
		if !ok {
			w.Header().Set("Retry-After", "10")
			http.Error(w, "as many follow the calls as may", http.StatusServiceUnavailable)
			return
		}
		defer listener.Close()
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		stream := &eventStream{out: w, flush: http.NewResponseController(w)}
		stream.comment("finished calls")
		stream.follow(r, listener)
	}
}

// fromHere reports whether an address is of this machine.
func fromHere(address string) bool {
	from, err := netip.ParseAddrPort(address)
	return err == nil && from.Addr().Unmap().IsLoopback()
}

// eventStream writes server-sent events until one can't be written.
type eventStream struct {
	out   http.ResponseWriter
	flush *http.ResponseController
	err   error
}

func (s *eventStream) follow(r *http.Request, listener *observe.Listener) {
	beat := time.NewTicker(callsHeartbeat)
	defer beat.Stop()
	chosen := chosenBy(r.URL.Query())
	for s.err == nil {
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			s.comment("")
		case call := <-listener.Calls:
			if missed := listener.Missed(); missed > 0 {
				s.writef("event: missed\ndata: %d\n\n", missed)
			}
			if chosen(&call) {
				s.call(&call)
			}
		}
	}
}

func (s *eventStream) call(call *evidence.Call) {
	text, err := json.Marshal(call)
	if err != nil { // unreachable: it holds text, numbers and times
		return
	}
	s.writef("data: %s\n\n", text)
}

func (s *eventStream) comment(text string) { s.writef(": %s\n\n", text) }

func (s *eventStream) writef(format string, args ...any) {
	if s.err != nil {
		return
	}
	if _, s.err = fmt.Fprintf(s.out, format, args...); s.err == nil {
		s.err = s.flush.Flush()
	}
}

// chosenBy reads a query; a parameter that is not there chooses all.
func chosenBy(query url.Values) func(*evidence.Call) bool {
	filter := evidence.Filter{Tool: query.Get("tool"), Class: query.Get("class"), Run: query.Get("run"), Code: query.Get("code")}
	return filter.Takes
}
