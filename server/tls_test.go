package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// notary signs certificates.
type notary struct {
	t      *testing.T
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	pem    string
	serial int64
}

func newNotary(t *testing.T) *notary {
	t.Helper()
	n := &notary{t: t}
	n.cert, n.key = n.make(&x509.Certificate{Subject: pkix.Name{CommonName: "notary"}, IsCA: true, KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true})
	n.pem = encoded("CERTIFICATE", n.cert.Raw)
	return n
}

func (n *notary) make(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	n.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		n.t.Fatal(err)
	}
	n.serial++
	template.SerialNumber, template.NotAfter = big.NewInt(n.serial), time.Now().Add(time.Hour)
	parent, signer := template, key
	if n.cert != nil {
		parent, signer = n.cert, n.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		n.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		n.t.Fatal(err)
	}
	return cert, key
}

// pair signs a certificate and returns it and its key as PEM.
func (n *notary) pair(template *x509.Certificate) (certPEM, keyPEM string) {
	n.t.Helper()
	cert, key := n.make(template)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		n.t.Fatal(err)
	}
	return encoded("CERTIFICATE", cert.Raw), encoded("PRIVATE KEY", der)
}

func (n *notary) forServer() (certPEM, keyPEM string) {
	return n.pair(&x509.Certificate{Subject: pkix.Name{CommonName: "gateway"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
}

func (n *notary) forClient(uri string) tls.Certificate {
	n.t.Helper()
	parsed, err := url.Parse(uri)
	if err != nil {
		n.t.Fatal(err)
	}
	certPEM, keyPEM := n.pair(&x509.Certificate{URIs: []*url.URL{parsed}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	pair, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	if err != nil {
		n.t.Fatal(err)
	}
	return pair
}

func encoded(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// secured is a gateway that speaks TLS on real sockets, with its files.
type secured struct {
	t      *testing.T
	notary *notary
	files  server.TLSFiles
	stale  atomic.Int32
	server *server.Server
}

func secure(t *testing.T, files server.TLSFiles, opened *server.Access) *secured {
	t.Helper()
	folder := t.TempDir()
	s := &secured{t: t, notary: newNotary(t), files: files}
	s.files.CertFile, s.files.KeyFile = filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	s.files.ClientCAFile = filepath.Join(folder, "ca.crt")
	s.show(s.notary.forServer())
	s.put(s.files.ClientCAFile, s.notary.pem)
	config, err := server.NewTLS(s.files, func(error) { s.stale.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	up := servertest.NewUpstream(t)
	s.server, err = server.New(server.Config{
		Catalog: servertest.Load(t, capCatalogue, up), Listen: "127.0.0.1:0", HTTP: server.HTTP{Listen: "127.0.0.1:0"}, TLS: config, Access: opened,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.server.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// put replaces a file as a whole.
func (s *secured) put(path, text string) {
	s.t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		s.t.Fatal(err)
	}
}

func (s *secured) show(certPEM, keyPEM string) {
	s.put(s.files.CertFile, certPEM)
	s.put(s.files.KeyFile, keyPEM)
}

// tries connects anew, through the gRPC door and the HTTP door, and returns the tools
// that are listed and what went wrong.
func (s *secured) tries(trusted string, change func(*tls.Config)) (tools int, err error) {
	s.t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(trusted))
	config := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	change(config)
	conn, err := grpc.NewClient(s.server.Addr(), grpc.WithTransportCredentials(credentials.NewTLS(config.Clone())))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	listed, err := toolgatev1.NewToolGatewayServiceClient(conn).ListTools(ctx, &toolgatev1.ListToolsRequest{})

	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+s.server.HTTPAddr()+"/v1/tools", http.NoBody)
	resp, overHTTP := transport.RoundTrip(req)
	if overHTTP == nil {
		_ = resp.Body.Close()
	}
	if entered := overHTTP == nil && resp.StatusCode == http.StatusOK; entered != (err == nil) {
		s.t.Errorf("through the gRPC door %v, through the HTTP door %v (%v)", err, resp, overHTTP)
	}
	return len(listed.GetTools()), err
}

func TestACertificateIsACredentialAtEveryDoor(t *testing.T) {
	s := secure(t, server.TLSFiles{}, accessTo(t, `
roles: {agent: {tools: [lookup, book]}}
principals: {billing: {certificates: ["uri:spiffe://corp/billing"], rights: {tools: ["*"]}}}
certificates: [{name: "uri:spiffe://corp/agents/*", roles: [agent]}]`))
	stranger := newNotary(t)
	for name, c := range map[string]struct {
		show  []tls.Certificate
		tools int
		code  codes.Code
	}{
		"listed":     {[]tls.Certificate{s.notary.forClient("spiffe://corp/billing")}, 6, codes.OK},
		"by a rule":  {[]tls.Certificate{s.notary.forClient("spiffe://corp/agents/7")}, 2, codes.OK},
		"of nobody":  {[]tls.Certificate{s.notary.forClient("spiffe://corp/printer")}, 0, codes.PermissionDenied},
		"of another": {[]tls.Certificate{stranger.forClient("spiffe://corp/billing")}, 0, codes.Unavailable},
		"none":       {nil, 0, codes.Unavailable},
	} {
		tools, err := s.tries(s.notary.pem, func(config *tls.Config) { config.Certificates = c.show })
		if tools != c.tools || status.Code(err) != c.code {
			t.Errorf("%s: %d tools, %v", name, tools, err)
		}
	}
}

func TestWhereACertificateIsOptionalAnotherCredentialDoes(t *testing.T) {
	ann := newHolder()
	s := secure(t, server.TLSFiles{ClientCertOptional: true}, accessTo(t, `
principals:
  ann: {keys: [%s], rights: {tools: [lookup]}}
  billing: {certificates: ["uri:spiffe://corp/billing"], rights: {tools: ["*"]}}`, ann.line))
	if _, err := s.tries(s.notary.pem, func(*tls.Config) {}); status.Code(err) != codes.Unauthenticated {
		t.Errorf("without any: %v", err)
	}
	if tools, err := s.tries(s.notary.pem, func(c *tls.Config) { c.Certificates = []tls.Certificate{s.notary.forClient("spiffe://corp/billing")} }); tools != 6 {
		t.Errorf("with a certificate: %d tools, %v", tools, err)
	}
	if _, err := s.tries(s.notary.pem, func(c *tls.Config) {
		c.Certificates = []tls.Certificate{newNotary(t).forClient("spiffe://corp/billing")}
	}); status.Code(err) != codes.Unavailable {
		t.Errorf("with one that is not genuine: %v", err)
	}
}

func TestFilesOfCertificatesAreInForceWhenTheyAreReplaced(t *testing.T) {
	s := secure(t, server.TLSFiles{}, accessTo(t, `principals: {billing: {certificates: ["uri:spiffe://corp/billing"], rights: {tools: ["*"]}}}`))
	first, second := s.notary, newNotary(t)
	mine := first.forClient("spiffe://corp/billing")
	with := func(pair tls.Certificate) func(*tls.Config) {
		return func(c *tls.Config) { c.Certificates = []tls.Certificate{pair} }
	}
	if _, err := s.tries(first.pem, with(mine)); err != nil {
		t.Fatal(err)
	}
	s.show(second.forServer())
	if _, err := s.tries(first.pem, with(mine)); err == nil {
		t.Error("the former certificate is still shown")
	}
	if _, err := s.tries(second.pem, with(mine)); err != nil {
		t.Errorf("the new certificate: %v", err)
	}
	s.put(s.files.ClientCAFile, second.pem)
	if _, err := s.tries(second.pem, with(mine)); err == nil {
		t.Error("a caller of the former authority is still let in")
	}
	if _, err := s.tries(second.pem, with(second.forClient("spiffe://corp/billing"))); err != nil {
		t.Errorf("a caller of the new authority: %v", err)
	}
	s.put(s.files.CertFile, "half a certifi")
	for range 3 {
		if _, err := s.tries(second.pem, with(second.forClient("spiffe://corp/billing"))); err != nil {
			t.Errorf("what can't be read leaves the former in force: %v", err)
		}
	}
	if got := s.stale.Load(); got != 1 {
		t.Errorf("told of it %d times", got)
	}
}

func TestAnOldVersionOfTLSIsRefusedWhereItIsToBe(t *testing.T) {
	s := secure(t, server.TLSFiles{TLS13: true, ClientCertOptional: true}, accessTo(t, `anonymous: {tools: ["*"]}`))
	if _, err := s.tries(s.notary.pem, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }); err == nil {
		t.Error("TLS 1.2 is spoken")
	}
	if _, err := s.tries(s.notary.pem, func(*tls.Config) {}); err != nil {
		t.Error(err)
	}
}

func TestTLSWithoutGoodFilesIsRefusedAtOnce(t *testing.T) {
	folder := t.TempDir()
	certPEM, keyPEM := newNotary(t).forServer()
	_, other := newNotary(t).forServer()
	paths := map[string]string{"cert": certPEM, "key": keyPEM, "other": other, "empty": ""}
	for name, text := range paths {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	for name, files := range map[string]server.TLSFiles{
		"no key": {CertFile: at("cert")}, "no certificate": {KeyFile: at("key")}, "another's key": {CertFile: at("cert"), KeyFile: at("other")},
		"no file": {CertFile: at("none"), KeyFile: at("key")}, "no authorities": {CertFile: at("cert"), KeyFile: at("key"), ClientCAFile: at("empty")},
	} {
		if _, err := server.NewTLS(files, nil); err == nil || strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
