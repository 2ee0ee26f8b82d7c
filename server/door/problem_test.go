package door_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/door"
)

func TestAStatusBecomesAProblemWithItsReason(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, done := context.WithTimeout(t.Context(), 0)
	defer done()
	for _, c := range []struct {
		err           error
		status        int
		reason, field string
		retry         string
	}{
		{interceptors.StatusInvalid("RUN_ID_MISSING", "run_id", "is missing"), 400, "RUN_ID_MISSING", "run_id", ""},
		{interceptors.StatusFull(1500 * time.Millisecond), 429, "GATEWAY_FULL", "", "2"},
		{interceptors.StatusDraining(), 503, "DRAINING", "", ""},
		{interceptors.StatusUnauthenticated(interceptors.ReasonCredentialMissing, "who?"), 401, interceptors.ReasonCredentialMissing, "", ""},
		{interceptors.StatusForbidden(interceptors.ReasonNoRights, "no"), 403, interceptors.ReasonNoRights, "", ""},
		{interceptors.StatusInternal(errors.New("a secret")), 500, "INTERNAL", "", ""},
		{interceptors.StatusDone(gone), 499, "CALLER_CANCELLED", "", ""},
		{interceptors.StatusDone(late), 504, "CALLER_DEADLINE", "", ""},
		{errors.New("a stranger"), 500, "UNKNOWN", "", ""},
		{door.Problem{Status: 418, Reason: "TEAPOT"}, 418, "TEAPOT", "", ""},
	} {
		w := httptest.NewRecorder()
		door.ProblemOf(c.err).Write(w)
		var got struct {
			Type, Title, Detail, Reason, Field string
			Status                             int
			RetryAfter                         float64 `json:"retry_after"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
		if w.Code != c.status || got.Status != c.status || got.Reason != c.reason || got.Field != c.field || got.Title == "" || got.Type != "about:blank" {
			t.Errorf("%v: %d %s", c.err, w.Code, w.Body)
		}
		if w.Header().Get("Retry-After") != c.retry || (got.RetryAfter > 0) != (c.retry != "") || w.Header().Get("Content-Type") != door.ProblemType {
			t.Errorf("%v: %v %s", c.err, w.Header(), w.Body)
		}
		if (w.Header().Get("WWW-Authenticate") != "") != (c.status == http.StatusUnauthorized) {
			t.Errorf("%v: %v", c.err, w.Header())
		}
	}
}

func TestNoCodeOfGRPCHasAStatusOfSuccess(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		if got := door.ProblemOf(status.Error(code, "x")).Status; got < 400 || got > 599 {
			t.Errorf("%s is %d", code, got)
		}
	}
}

func TestWhatAProblemSaysIsEscaped(t *testing.T) {
	text := door.Problem{Status: 400, Reason: "X", Detail: "a\"\n\x00</script>\xff", Field: `"`, Accepted: []string{`"`, "b"}}.Text()
	if !json.Valid(text) {
		t.Errorf("got %s", text)
	}
}
