package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"

	"toolgate.dev/toolgate/internal/certfile"
)

// TLSFiles says with which files, in PEM, a gateway shows who it is and recognises
// its callers.
type TLSFiles struct {
	// CertFile holds the certificate, its intermediates behind it, and KeyFile its
	// key. Required.
	CertFile, KeyFile string
	// ClientCAFile holds the authorities of callers' certificates. Empty: callers
	// are not asked for one.
	ClientCAFile string
	// ClientCertOptional lets callers connect without a certificate, who then need
	// another credential. Default: ClientCAFile makes one compulsory.
	ClientCertOptional bool
	// TLS13 refuses callers that speak nothing newer than TLS 1.2.
	TLS13 bool
}

// NewTLS reads the files and makes what Config.TLS wants. They are looked at
// whenever somebody connects: what they hold then counts, without a reload. What has
// changed and can't be read is told to stale (may be nil), once per change, and the
// former stay in force.
func NewTLS(files TLSFiles, stale func(error)) (*tls.Config, error) {
	if files.CertFile == "" || files.KeyFile == "" {
		return nil, errors.New("TLS needs a certificate and its key")
	}
	if stale == nil {
		stale = func(error) {}
	}
	w := &wardrobe{files: files, stale: stale}
	var err error
	if w.current, err = w.read(); err != nil {
		return nil, err
	}
	config := w.current.Clone()
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return w.wear(), nil }
	return config, nil
}

// wardrobe keeps the configuration that the files describe. It is safe for
// concurrent use.
type wardrobe struct {
	files TLSFiles
	stale func(error)

	mu      sync.Mutex // guards the rest
	seen    []certfile.Sight
	current *tls.Config // never written to
}

// wear returns the configuration of the files as they are now.
func (w *wardrobe) wear() *tls.Config {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.seen, certfile.Sight.Changed) {
		if config, err := w.read(); err != nil {
			w.stale(err)
		} else {
			w.current = config
		}
	}
	return w.current
}

// read notes how the files look even where they can't be read, so that it is not
// tried again before something changes.
func (w *wardrobe) read() (*tls.Config, error) {
	w.seen = nil
	for _, path := range []string{w.files.CertFile, w.files.KeyFile, w.files.ClientCAFile} {
		if path != "" {
			w.seen = append(w.seen, certfile.Look(path))
		}
	}
	pair, err := certfile.Pair(w.files.CertFile, w.files.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("the certificate of the gateway: %w", err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*pair}}
	if w.files.TLS13 {
		config.MinVersion = tls.VersionTLS13
	}
	if w.files.ClientCAFile == "" {
		return config, nil
	}
	authorities, err := certfile.Authorities(w.files.ClientCAFile)
	if err != nil {
		return nil, fmt.Errorf("the authorities of callers: %w", err)
	}
	w.askClients(config, authorities)
	return config, nil
}

func (w *wardrobe) askClients(config *tls.Config, authorities *x509.CertPool) {
	config.ClientCAs, config.ClientAuth = authorities, tls.RequireAndVerifyClientCert
	if w.files.ClientCertOptional {
		config.ClientAuth = tls.VerifyClientCertIfGiven
	}
	// A session that is taken up again would bring a certificate that today's
	// authorities need not have signed.
	config.SessionTicketsDisabled = true
}

// secured has a listener speak TLS, and offer protocols in the handshake (ALPN, RFC
// 7301). A nil config leaves it as it is.
func secured(listener net.Listener, config *tls.Config, protocols ...string) net.Listener {
	if config == nil {
		return listener
	}
	return tls.NewListener(listener, offering(config, protocols))
}

func offering(config *tls.Config, protocols []string) *tls.Config {
	offer := config.Clone()
	offer.NextProtos = protocols
	if choose := config.GetConfigForClient; choose != nil {
		offer.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			chosen, err := choose(hello)
			if chosen == nil || err != nil {
				return nil, err
			}
			chosen = chosen.Clone()
			chosen.NextProtos = protocols
			return chosen, nil
		}
	}
	return offer
}
