package mcp_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// A whole gateway leads to the door at /mcp, and its stop does not wait for clients
// that only listen.
func TestAGatewayStopsThoughClientsListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stopping time.Time
		ended := make(chan error, 1)
		t.Cleanup(func() { // after the gateway's own
			if err := <-ended; err != nil {
				t.Errorf("the stream was cut off: %v", err)
			}
			if took := time.Since(stopping); took > 5*time.Second {
				t.Errorf("the stop took %v", took)
			}
			time.Sleep(time.Second) // net/http waits half of one with a connection that it gave up
		})
		h := &house{upstream: servertest.NewUpstream(t), listener: pipetest.Listen()}
		h.gateway = servertest.Start(t, servertest.Load(t, catalogue, h.upstream), func(config *server.Config) {
			config.HTTP = server.HTTP{Listener: h.listener}
		})
		session := h.initialize(t)
		go func() {
			status, _, body, err := h.trySend(http.MethodGet, "", "Mcp-Session-Id", session)
			if err == nil && status != http.StatusOK {
				err = errors.New(body)
			}
			ended <- err
		}()
		synctest.Wait()
		stopping = time.Now()
	})
}
