package door_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/internal/pipetest"
)

// A stream of events is silent for longer than any peer may take to read.
func TestAStreamThatIsSilentStaysOpen(t *testing.T) {
	for _, c := range []struct {
		name string
		two  bool
	}{{"HTTP/1.1", false}, {"HTTP/2", true}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { silentStream(t, c.two) })
		})
	}
}

func silentStream(t *testing.T, two bool) {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(!two)
	protocols.SetUnencryptedHTTP2(two)
	listener := pipetest.Listen()
	server := &http.Server{ReadHeaderTimeout: time.Hour, Protocols: protocols, Handler: patience.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			_, _ = io.WriteString(w, "x")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			time.Sleep(10 * time.Minute)
		}
	}))}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	transport := &http.Transport{
		Protocols:   protocols,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.DialContext(ctx) },
	}
	resp, err := (&http.Client{Transport: transport}).Get("http://gateway.test/")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "xxx" {
		t.Errorf("%q %v", body, err)
	}
	_ = resp.Body.Close()
	transport.CloseIdleConnections()
	_ = server.Close()
	<-done
}
