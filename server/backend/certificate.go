package backend

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
)

// CertificateRejected reports whether a connection failed since one side rejected the
// other's certificate: no time cures that.
func CertificateRejected(err error) bool {
	var verification *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var remote *net.OpError
	if errors.As(err, &verification) || errors.As(err, &invalid) || errors.As(err, &authority) || errors.As(err, &host) {
		return true
	}
	// An upstream tells by an alert (RFC 8446 section 6.2) that it does not accept
	// ours, in TLS 1.3 after a request was sent, which it then does not read. The
	// alert has no type that is exported; each that is about a certificate says so.
	return errors.As(err, &remote) && remote.Op == "remote error" && strings.Contains(remote.Err.Error(), "certificate")
}
