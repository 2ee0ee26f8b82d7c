package httpbackend

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
)

// kindOf tells how a round trip failed. What is certain whatever the clock says
// (a refusal, an unknown name, a bad certificate) comes before the clock.
func kindOf(ctx context.Context, f *flight, err error) interceptors.TransportFailure {
	var dns *net.DNSError
	var proxy *backend.ProxyError
	switch {
	case f.replay:
		return interceptors.FailureReset
	case errors.As(err, &proxy):
		return proxy.Kind()
	case backend.Forbidden(err):
		return interceptors.FailureRequest
	case refused(err) && !f.sent():
		return interceptors.FailureRefused
	case errors.As(err, &dns) && dns.IsNotFound:
		return interceptors.FailureDNSNotFound
	case backend.CertificateRejected(err):
		return interceptors.FailureTLSCertificate
	case ctx.Err() != nil:
		return interceptors.EndedAs(ctx)
	case dns != nil:
		return interceptors.FailureDNSTemporary
	case f.handshaking.Load() || handshake(err):
		return interceptors.FailureTLSHandshake
	}
	return connectionKind(err)
}

func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}

func connectionKind(err error) interceptors.TransportFailure {
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return interceptors.FailureRefused // a dial that timed out found nobody, too
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), refused(err), untyped(err):
		return interceptors.FailureReset
	case errors.As(err, &timeout) && timeout.Timeout():
		return interceptors.FailureTimeout
	}
	return interceptors.FailureOther
}

func handshake(err error) bool {
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &record) || errors.As(err, &alert) || strings.Contains(err.Error(), "TLS handshake timeout") ||
		strings.Contains(err.Error(), "HTTP response to HTTPS client")
}

// untyped knows the ends of a connection that net/http tells in words alone: a
// kept one that the server closed, and those of HTTP/2.
func untyped(err error) bool {
	text := err.Error()
	for _, sign := range []string{"server closed idle connection", "stream error:", "GOAWAY", "client connection lost", "http2: "} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
