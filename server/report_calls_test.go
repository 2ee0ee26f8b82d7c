package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/observe"
	"toolgate.dev/toolgate/internal/evidence"
	"toolgate.dev/toolgate/internal/pipetest"
)

// follower reads a stream of calls, in a bubble.
type follower struct {
	t      *testing.T
	body   io.ReadCloser
	events *bufio.Reader
}

// streaming serves the stream of a room in memory.
func streaming(t *testing.T, room *observe.Room) *http.Client {
	t.Helper()
	listener := pipetest.Listen()
	server := &http.Server{Handler: callStream(room, true), ReadHeaderTimeout: time.Hour}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.DialContext(ctx) }}
	t.Cleanup(func() { _ = server.Close(); <-served; transport.CloseIdleConnections() })
	return &http.Client{Transport: transport}
}

func follow(t *testing.T, client *http.Client, query string) *follower {
	t.Helper()
	response, err := client.Get("http://gateway.test/calls" + query)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %+v", response)
	}
	f := &follower{t: t, body: response.Body, events: bufio.NewReader(response.Body)}
	t.Cleanup(func() { _ = f.body.Close() })
	if first := f.next(); first != ": finished calls" {
		t.Errorf("it begins with %q", first)
	}
	return f
}

func (f *follower) next() string {
	f.t.Helper()
	var lines []string
	for {
		line, err := f.events.ReadString('\n')
		if err != nil {
			f.t.Fatal(err)
		}
		if line == "\n" {
			return strings.Join(lines, "|")
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
}

func finish(room *observe.Room, run, tool string) {
	call := &interceptors.Call{Run: interceptors.RunKey{ID: run}, Tool: &interceptors.Tool{Name: tool}, Arrived: time.Now(), Text: `{"secret":"swordfish"}`}
	room.Finished(context.Background(), call, &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: `"swordfish"`}}, nil)
}

func TestFinishedCallsAreStreamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := observe.New(observe.Settings{})
		client := streaming(t, room)
		all, some := follow(t, client, ""), follow(t, client, "?tool=b&class=result&run=r2&code=")
		finish(room, "r1", "a")
		finish(room, "r1", "b")
		finish(room, "r2", "b")
		for _, want := range []string{"r1 a", "r1 b", "r2 b"} {
			data, _ := strings.CutPrefix(all.next(), "data: ")
			call, found := evidence.Line([]byte(data))
			if got := call.Run + " " + call.Tool; !found || got != want || call.Class != "result" || strings.Contains(data, "swordfish") {
				t.Errorf("got %s, want %s", data, want)
			}
		}
		if got := some.next(); !strings.Contains(got, `"run":"r2"`) {
			t.Errorf("got %s", got)
		}
	})
}

func TestASilentStreamStaysOpenAndASlowReaderIsToldWhatItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := observe.New(observe.Settings{})
		slow := follow(t, streaming(t, room), "")
		if beat := slow.next(); beat != ": " { // after 15 s of nothing
			t.Errorf("got %q", beat)
		}
		const calls = 5000
		for range calls {
			finish(room, "r", "a")
		}
		synctest.Wait()
		finish(room, "r", "last")
		shown, missed := 0, ""
		for shown < calls {
			event := slow.next()
			if rest, found := strings.CutPrefix(event, "event: missed|data: "); found {
				missed = rest
				break
			}
			shown++
		}
		if missed == "" {
			t.Errorf("%d were shown and none missed", shown)
		}
	})
}

func TestOtherMachinesAreToldNothing(t *testing.T) {
	room := observe.New(observe.Settings{})
	for address, want := range map[string]int{
		"10.0.0.7:40000": http.StatusForbidden, "[2001:db8::1]:1": http.StatusForbidden, "pipe": http.StatusForbidden,
		"127.0.0.1:40000": http.StatusOK, "[::1]:40000": http.StatusOK, "[::ffff:127.0.0.1]:1": http.StatusOK,
	} {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/calls", nil)
		request.RemoteAddr = address
		for _, toAll := range []bool{false, true} {
			recorder := httptest.NewRecorder()
			callStream(room, toAll)(recorder, request)
			if !toAll && recorder.Code != want || toAll && recorder.Code != http.StatusOK {
				t.Errorf("%s (to all: %v): got %d", address, toAll, recorder.Code)
			}
		}
	}
}

func TestFollowersAreBoundedAndGiveTheirPlaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := observe.New(observe.Settings{})
		client := streaming(t, room)
		var all []*follower
		for range 16 {
			all = append(all, follow(t, client, ""))
		}
		response, err := client.Get("http://gateway.test/calls")
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
			t.Fatalf("got %+v, %v", response, err)
		}
		_ = response.Body.Close()
		_ = all[0].body.Close()
		time.Sleep(time.Second)
		follow(t, client, "")
	})
}
