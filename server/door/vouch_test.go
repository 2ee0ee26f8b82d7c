package door_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/door"
)

func TestAStrangerSendsNoLargeBody(t *testing.T) {
	const small, large = 60 << 10, 1 << 20
	refusal := interceptors.StatusUnauthenticated(interceptors.ReasonCredentialMissing, "who?")
	for _, c := range []struct {
		name  string
		size  int
		known error
		read  int // at most
		asked int
	}{
		{"a small one of a stranger, whom the rooms will ask", small, refusal, small, 0},
		{"a large one of a stranger", large, refusal, 70 << 10, 1},
		{"a large one of a caller", large, nil, large, 1},
	} {
		asked, read := 0, 0
		var failed error
		vouched := door.Vouch(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			read, failed = len(body), err
		}), func(context.Context) (string, error) {
			asked++
			return "ann", c.known
		})
		vouched.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", c.size))))
		problem, isProblem := errors.AsType[door.Problem](failed)
		if read > c.read || asked != c.asked || isProblem != (c.size == large && c.known != nil) || (isProblem && problem.Status != http.StatusUnauthorized) {
			t.Errorf("%s: read %d, asked %d times, %v", c.name, read, asked, failed)
		}
	}
}
