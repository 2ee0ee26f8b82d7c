package door

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Patience is how long a peer may keep the gateway waiting.
type Patience struct {
	Body  time.Duration // for the whole body of a request, from its first byte on
	Write time.Duration // to take what is written, each time
}

// Wrap bounds how long a slow peer holds a request: its connection is closed. The
// time that a call takes is not bounded by it. A handler may ask the response
// writer for flushing, as always.
func (p Patience) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &patientBody{ReadCloser: r.Body, control: control, patience: p.Body}
		}
		next.ServeHTTP(&patientWriter{ResponseWriter: w, control: control, patience: p.Write}, r)
	})
}

// patientBody gives up on a body that doesn't come. net/http's own bound would go
// on to cancel the call that the request asks for.
type patientBody struct {
	io.ReadCloser

	control  *http.ResponseController
	patience time.Duration
	begun    bool
}

func (b *patientBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		_ = b.control.SetReadDeadline(time.Now().Add(b.patience)) // a writer of a test may know none
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

type patientWriter struct {
	http.ResponseWriter

	control  *http.ResponseController
	patience time.Duration
}

func (w *patientWriter) extend() { _ = w.control.SetWriteDeadline(time.Now().Add(w.patience)) }

// flushed ends the patience where all has been taken: a stream of events may be
// silent for as long as it likes. HTTP/2 would reset it when the deadline passes,
// and HTTP/1.1 could not end it in order.
func (w *patientWriter) flushed() { _ = w.control.SetWriteDeadline(time.Time{}) }

func (w *patientWriter) WriteHeader(status int) {
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

func (w *patientWriter) Write(p []byte) (int, error) {
	w.extend()
	return w.ResponseWriter.Write(p)
}

func (w *patientWriter) Flush() {
	w.extend()
	_ = w.control.Flush()
	w.flushed()
}

// FlushError is what http.ResponseController asks for.
func (w *patientWriter) FlushError() error {
	w.extend()
	err := w.control.Flush()
	w.flushed()
	return err
}

// Unwrap is what http.ResponseController asks for.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
