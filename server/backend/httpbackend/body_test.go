package httpbackend_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

func TestABodyIsUnpackedDecodedAndBounded(t *testing.T) {
	zip := func(b []byte) []byte {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(b)
		_ = w.Close()
		return packed.Bytes()
	}
	bomb := zip(bytes.Repeat([]byte("0"), 4<<20))
	large := strings.Repeat("0", 300<<10)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		var body []byte
		switch r.URL.Path {
		case "/gzip":
			h.Set("Content-Encoding", "gzip")
			body = zip([]byte(`{"ok":true}`))
		case "/bomb":
			h.Set("Content-Encoding", "gzip")
			body = bomb
		case "/torn":
			h.Set("Content-Encoding", "gzip")
			body = zip([]byte(large))[:100]
		case "/latin":
			h.Set("Content-Type", `application/json; charset="iso-8859-1"`)
			body = []byte("{\"name\":\"Jos\xe9\"}")
		case "/utf16":
			h.Set("Content-Type", "application/json")
			body = []byte("\xff\xfe{\x00}\x00")
		case "/bom":
			body = []byte("\xef\xbb\xbf{}")
		case "/odd":
			h.Set("Content-Type", "text/plain; charset=klingon")
			body = []byte("\xff")
		case "/large":
			h.Set("Content-Length", fmt.Sprint(len(large)))
			body = []byte(large)
		case "/empty":
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = w.Write(body)
	})
	const limit, room = 100 << 10, 64 << 10
	for _, c := range []struct {
		path, body string
		length     int
		size       int64
		failure    interceptors.TransportFailure
	}{
		{"/gzip", `{"ok":true}`, 11, 0, 0},
		{"/bomb", "", limit + room, -1, 0},
		{"/torn", "", -1, -1, interceptors.FailureBodyCut},
		{"/latin", `{"name":"José"}`, 16, 0, 0},
		{"/utf16", `{}`, 2, 0, 0},
		{"/bom", `{}`, 2, 0, 0},
		{"/odd", "\xff", 1, 0, 0},
		{"/large", "", limit + room, 300 << 10, 0},
		{"/empty", "", 0, 0, 0},
	} {
		for _, accept := range []map[string]string{nil, {"Accept-Encoding": "gzip"}} {
			spec := entry("GET", url+c.path)
			spec.MaxResultBytes, spec.Headers = limit, accept
			reply := attempt(t, newBackend(t, pooled(t), spec), `{}`)
			if reply.Failure != c.failure || c.length >= 0 && len(reply.Body) != c.length || reply.BodySize != c.size || c.body != "" && string(reply.Body) != c.body {
				t.Errorf("%s: failure %v (%s), %d bytes of %d: %.40q", c.path, reply.Failure, reply.Cause, len(reply.Body), reply.BodySize, reply.Body)
			}
		}
	}
}

func TestABodyThatEndsEarlyIsToldUnlessTheStatusSaysEnough(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		if r.URL.Path == "/down" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, `{"half":`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	cut := attempt(t, newBackend(t, pooled(t), entry("POST", url+"/ok")), `{}`)
	if cut.Failure != interceptors.FailureBodyCut || !cut.Sent || string(cut.Body) != `{"half":` {
		t.Errorf("failure %v, sent %v, body %q", cut.Failure, cut.Sent, cut.Body)
	}
	down := attempt(t, newBackend(t, pooled(t), entry("POST", url+"/down")), `{}`)
	if down.Failure != interceptors.FailureNone || down.Status != 503 || down.BodySize != 100 {
		t.Errorf("failure %v, status %d, size %d", down.Failure, down.Status, down.BodySize)
	}
}
