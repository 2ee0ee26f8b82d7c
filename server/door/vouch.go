package door

import (
	"context"
	"io"
	"net/http"
)

// trustedBytes is how much of a body is read before it is asked who sends it. The
// rooms ask anyway, but they see a request as a whole.
const trustedBytes = 64 << 10

// Vouch keeps strangers from having large bodies read: known is asked once so much has
// come, and its error, a gRPC status, is what reading fails with, as a Problem. A nil
// known lets everybody send.
func Vouch(next http.Handler, known func(ctx context.Context) (principal string, err error)) http.Handler {
	if known == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &vouchedBody{ReadCloser: r.Body, left: trustedBytes, known: func() error {
				_, err := known(Caller(r))
				return err
			}}
		}
		next.ServeHTTP(w, r)
	})
}

type vouchedBody struct {
	io.ReadCloser

	left  int
	known func() error // nil: it has answered
}

func (b *vouchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left >= 0 || b.known == nil {
		return n, err
	}
	refused := b.known()
	if refused != nil {
		return 0, ProblemOf(refused)
	}
	b.known = nil
	return n, err
}
