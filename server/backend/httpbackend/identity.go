package httpbackend

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// identity is what a TLS configuration's files held when they were read.
type identity struct {
	roots   *x509.CertPool   // nil: the system's
	pair    *tls.Certificate // nil: none
	expires time.Time        // of the pair's certificate
	seen    []sight
}

// sight is how a file looked before it was read. A nil info: it was not there.
type sight struct {
	path string
	info fs.FileInfo
}

func look(path string) sight {
	info, err := os.Stat(path) // follows links, which is how Kubernetes swaps a mounted secret
	if err != nil {
		return sight{path: path}
	}
	return sight{path: path, info: info}
}

func (s sight) same(other sight) bool {
	if s.info == nil || other.info == nil {
		return s.info == nil && other.info == nil
	}
	return s.info.ModTime().Equal(other.info.ModTime()) && s.info.Size() == other.info.Size() && os.SameFile(s.info, other.info)
}

// files lists the files of a TLS configuration.
func (t TLS) files() (paths []string) {
	for _, path := range []string{t.CAFile, t.CertFile, t.KeyFile} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// read reads the files. Where one can't be read, what was seen is returned all the
// same, so that nobody tries again before something changes.
func (t TLS) read() (*identity, error) {
	c := &identity{}
	for _, path := range t.files() {
		c.seen = append(c.seen, look(path))
	}
	var err error
	if t.CAFile != "" {
		if c.roots, err = readAuthorities(t.CAFile); err != nil {
			return c, err
		}
	}
	if t.CertFile != "" {
		if c.pair, err = readPair(t.CertFile, t.KeyFile); err != nil {
			return c, err
		}
		c.expires = c.pair.Leaf.NotAfter
	}
	return c, nil
}

// stale reports whether a file looks otherwise now.
func (c *identity) stale() bool {
	for _, before := range c.seen {
		if !before.same(look(before.path)) {
			return true
		}
	}
	return false
}

func (c *identity) config(t TLS) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName, RootCAs: c.roots}
	if t.TLS13 {
		config.MinVersion = tls.VersionTLS13
	}
	if t.CAFile != "" && c.roots == nil {
		config.RootCAs = x509.NewCertPool() // whom to trust can't be read: nobody
	}
	if c.pair != nil {
		config.Certificates = []tls.Certificate{*c.pair}
	}
	return config
}

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

func readAuthorities(path string) (*x509.CertPool, error) {
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

func readPair(cert, key string) (*tls.Certificate, error) {
	certText, err := readPEM(cert)
	if err != nil {
		return nil, err
	}
	keyText, err := readPEM(key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certText, keyText)
	if err != nil {
		return nil, fmt.Errorf("certificate and key don't go together: %w", err)
	}
	return &pair, nil
}
