package backend

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Each side of a real handshake says no.
func TestARejectedCertificateIsKnownOnBothSides(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // it is refused on purpose
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS13}
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for name, config := range map[string]*tls.Config{
		"an authority that we don't know": {MinVersion: tls.VersionTLS13},
		"a name that it is not for":       {RootCAs: roots, ServerName: "other.test", MinVersion: tls.VersionTLS13},
		"one of ours is wanted":           {RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS13},
	} {
		if err := exchange(t.Context(), server.Listener.Addr().String(), config); !CertificateRejected(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// exchange makes a handshake, and reads what follows it.
func exchange(ctx context.Context, address string, config *tls.Config) error {
	conn, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Read(make([]byte, 1))
	return err
}

func TestOtherEndsOfAConnectionAreNoRejection(t *testing.T) {
	for _, err := range []error{
		io.EOF, errors.New("certificate"), context.DeadlineExceeded, tls.RecordHeaderError{},
		&net.OpError{Op: "dial", Err: errors.New("certificate")},
		&net.OpError{Op: "remote error", Err: tls.AlertError(40)}, // handshake_failure
	} {
		if CertificateRejected(err) {
			t.Errorf("%v", err)
		}
	}
}
