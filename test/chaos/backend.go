package chaos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// entry is one request as the back end saw it.
type entry struct {
	Tool   string `json:"tool"`
	Ref    string `json:"ref"` // the logical call
	Run    string `json:"run"`
	Key    string `json:"key,omitempty"` // its idempotency key
	Effect bool   `json:"effect"`        // it changed something
	Status int    `json:"status"`        // of the answer that was meant
	At     int64  `json:"at"`            // unix, in µs
}

// The environment that makes a program the back end.
const (
	envBackend = "TOOLGATE_CHAOS_BACKEND" // its address
	envRecord  = "TOOLGATE_CHAOS_RECORD"  // the file of its record
)

// IsBackend reports that this process was started to be the back end.
func IsBackend() bool { return os.Getenv(envBackend) != "" }

// ServeBackend is the back end's process. It returns when it can't go on.
func ServeBackend() error {
	record, err := os.OpenFile(os.Getenv(envRecord), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // named by who started us
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", os.Getenv(envBackend))
	if err != nil {
		return err
	}
	b := &backend{record: record}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mood/{mood}", b.setMood)
	mux.HandleFunc("/tool/{tool}", b.serve)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

const moodGood = "good"

// backend takes every write as often as it comes, and writes it down.
type backend struct {
	mood atomic.Value // string

	mu     sync.Mutex // guards record
	record io.Writer
}

func (b *backend) setMood(_ http.ResponseWriter, r *http.Request) { b.mood.Store(r.PathValue("mood")) }

func (b *backend) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // half a request takes no effect
	}
	e := entry{Tool: r.PathValue("tool"), Key: r.Header.Get("Idempotency-Key"), Status: http.StatusOK}
	var arguments struct {
		Ref string `json:"ref"`
		Run string `json:"run"`
	}
	if len(bytes.TrimSpace(body)) > 0 {
		_ = json.Unmarshal(body, &arguments)
	}
	query := r.URL.Query()
	e.Ref, e.Run = arguments.Ref+query.Get("ref"), arguments.Run+query.Get("run")
	mood, _ := b.mood.Load().(string)
	if mood != "" && mood != moodGood && rand.IntN(100) < 30 { //nolint:gosec // a game of chance, no secret
		b.misbehave(w, r, e, mood)
		return
	}
	b.answer(w, e)
}

// answer does what the tool does.
func (b *backend) answer(w http.ResponseWriter, e entry) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasPrefix(e.Tool, "book"):
		e.Status = http.StatusUnprocessableEntity
		b.write(e)
		w.WriteHeader(e.Status)
		fmt.Fprintf(w, `{"error":{"code":"slot_taken","message":"%s is taken"}}`, e.Ref)
	default:
		e.Effect = e.Tool != toolRead
		b.write(e)
		fmt.Fprintf(w, `{"ref":%q,"ok":true,"padding":%q}`, e.Ref, padding)
	}
}

var padding = strings.Repeat("x", 1500) // an answer of usual size

// misbehave answers in the way of the mood. Refusals take no effect, the others
// come after it.
func (b *backend) misbehave(w http.ResponseWriter, r *http.Request, e entry, mood string) {
	effect := e.Tool != toolRead && !strings.HasPrefix(e.Tool, "book")
	switch mood {
	case "unavailable":
		e.Status = http.StatusServiceUnavailable
	case "limited":
		e.Status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", "1")
	case "broken":
		e.Status, e.Effect = http.StatusInternalServerError, effect
	case "cut", "hang", "reset":
		e.Status, e.Effect = 0, effect
	}
	b.write(e)
	switch mood {
	case "cut":
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"ref":`)
	case "hang":
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
		}
	case "reset":
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}
	default:
		w.WriteHeader(e.Status)
	}
}

// write puts an entry on record; what is written before a kill is read after it.
func (b *backend) write(e entry) {
	e.At = time.Now().UnixMicro()
	b.mu.Lock()
	defer b.mu.Unlock()
	text, _ := json.Marshal(e) //nolint:errchkjson // strings and numbers alone
	_, _ = b.record.Write(append(text, '\n'))
}

// readRecord returns what the back end wrote down.
func readRecord(path string) ([]entry, error) {
	text, err := os.ReadFile(path) //nolint:gosec // our own file
	if err != nil {
		return nil, err
	}
	var entries []entry
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var e entry
		switch err := decoder.Decode(&e); {
		case errors.Is(err, io.EOF):
			return entries, nil
		case err != nil:
			return nil, fmt.Errorf("the back end's record: %w", err)
		}
		entries = append(entries, e)
	}
}
