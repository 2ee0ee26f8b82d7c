package backend

import (
	"crypto/tls"
	"crypto/x509"
	"slices"
	"time"

	"toolgate.dev/toolgate/internal/certfile"
)

// TLS says whom to trust and who we are. Files are PEM, and read anew when they
// change, without a restart: the next connection finds them as they are then. What
// can't be read leaves in force what was read before.
type TLS struct {
	// CAFile holds the only authorities that are trusted; empty: the system's.
	CAFile string
	// CertFile and KeyFile are shown to upstreams that ask for a client's
	// certificate. Both or neither.
	CertFile, KeyFile string
	// ServerName is what the upstream's certificate must be for; empty: the host of
	// its address.
	ServerName string
	// TLS13 refuses what is older than TLS 1.3; else 1.2 is the oldest.
	TLS13 bool
}

// Identity is what the files of a TLS held when they were read. It must not be
// changed; whoever needs another configuration clones Config.
type Identity struct {
	Config  *tls.Config
	Expires time.Time // of the certificate that is shown; zero: none is

	seen []certfile.Sight // before they were read
}

// Files lists the files that are named.
func (t TLS) Files() []string {
	return slices.DeleteFunc([]string{t.CAFile, t.CertFile, t.KeyFile}, func(path string) bool { return path == "" })
}

// Read reads the files. Where one can't be read, the identity is returned all the
// same, and trusts nobody if it is the authorities': so it can be known when
// something changes.
func (t TLS) Read() (*Identity, error) {
	i := &Identity{Config: &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}}
	if t.TLS13 {
		i.Config.MinVersion = tls.VersionTLS13
	}
	for _, path := range t.Files() {
		i.seen = append(i.seen, certfile.Look(path))
	}
	if t.CAFile != "" {
		roots, err := certfile.Authorities(t.CAFile)
		if err != nil {
			i.Config.RootCAs = x509.NewCertPool()
			return i, err
		}
		i.Config.RootCAs = roots
	}
	if t.CertFile != "" {
		pair, err := certfile.Pair(t.CertFile, t.KeyFile)
		if err != nil {
			return i, err
		}
		i.Config.Certificates, i.Expires = []tls.Certificate{*pair}, pair.Leaf.NotAfter
	}
	return i, nil
}

// Stale reports whether a file looks otherwise now.
func (i *Identity) Stale() bool { return slices.ContainsFunc(i.seen, certfile.Sight.Changed) }

// HasFiles reports whether it was read from any.
func (i *Identity) HasFiles() bool { return len(i.seen) > 0 }

// InPlaceOf is i for files that were read later, to no avail: it is stale once they
// change.
func (i *Identity) InPlaceOf(unread *Identity) *Identity {
	return &Identity{Config: i.Config, Expires: i.Expires, seen: unread.seen}
}
