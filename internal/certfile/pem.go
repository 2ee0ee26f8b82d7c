package certfile

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

const maxPEMBytes = 4 << 20

func readPEM(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the file can't be read: %w", err)
	}
	if info.Size() > maxPEMBytes {
		return nil, fmt.Errorf("%s has %d bytes, more than certificates need", path, info.Size())
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("the file can't be read: %w", err)
	}
	return text, nil
}

// Authorities reads the certificates of a file as those of authorities. The error
// names the file and holds nothing of it.
func Authorities(path string) (*x509.CertPool, error) {
	text, err := readPEM(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("the file holds no certificate")
	}
	return pool, nil
}

// Pair reads a certificate, its intermediates behind it, and its key. The error
// names the files and holds nothing of them.
func Pair(certFile, keyFile string) (*tls.Certificate, error) {
	cert, err := readPEM(certFile)
	if err != nil {
		return nil, err
	}
	key, err := readPEM(keyFile)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("certificate and key don't go together: %w", err)
	}
	return &pair, nil
}
