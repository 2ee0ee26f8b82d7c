// Command backend is the back end of the measurements: it reads a request and
// answers 110 bytes of JSON at once.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
)

const answer = `{"id":"inv_20260314_0871","status":"accepted","amount":"150.00","currency":"EUR","created":"2026-03-14","n":1}`

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		fmt.Println(listener.Addr())
		err = http.Serve(listener, http.HandlerFunc(serve))
	}
	if !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintln(os.Stderr, "backend:", err)
		os.Exit(1)
	}
}

func serve(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the whole request counts
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(answer))}
	_, _ = io.WriteString(w, answer)
}
