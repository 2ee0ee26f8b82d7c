package redistest

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
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cluster is three primaries that share the slots.
type Cluster struct {
	// URL names all of them.
	URL   string
	Nodes []*Server
}

const slots = 16384

// StartCluster runs a cluster until the test ends.
func StartCluster(t testing.TB, options ...Option) *Cluster {
	t.Helper()
	const primaries = 3
	c := &Cluster{}
	options = append(options, TCP, Config("cluster-enabled", "yes"), Config("cluster-node-timeout", "2000"))
	var addresses []string
	for range primaries {
		node := Start(t, options...)
		c.Nodes, addresses = append(c.Nodes, node), append(addresses, node.Address)
	}
	for i, node := range c.Nodes {
		add := []string{"CLUSTER", "ADDSLOTS"}
		for slot := i * slots / primaries; slot < (i+1)*slots/primaries; slot++ {
			add = append(add, strconv.Itoa(slot))
		}
		node.Do(add...)
		host, port, _ := net.SplitHostPort(node.Address)
		c.Nodes[0].Do("CLUSTER", "MEET", host, port)
	}
	c.URL = "redis://" + strings.Join(addresses, ",")
	for _, node := range c.Nodes {
		eventually(t, "the cluster is there", func() bool {
			info := node.Do("CLUSTER", "INFO")
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:"+strconv.Itoa(primaries))
		})
	}
	return c
}

// Sentinels is a primary, its replica, and a sentinel that watches them.
type Sentinels struct {
	// URL names the sentinel and the primary's name.
	URL      string
	Primary  *Server // at first
	Replica  *Server
	Sentinel *Server
}

// StartSentinels runs them until the test ends.
func StartSentinels(t testing.TB) *Sentinels {
	t.Helper()
	const name = "main"
	s := &Sentinels{Primary: Start(t, TCP)}
	host, port, _ := net.SplitHostPort(s.Primary.Address)
	s.Replica = Start(t, TCP, Config("replicaof", host, port))
	s.Sentinel = Start(t, TCP, sentinel(name, host, port))
	s.URL = s.Sentinel.URL + "?sentinel=" + name
	eventually(t, "the replica follows", func() bool { return strings.Contains(s.Replica.Do("INFO", "replication"), "master_link_status:up") })
	eventually(t, "the sentinel knows both", func() bool {
		return strings.Contains(s.Sentinel.Do("INFO", "sentinel"), "status=ok") && strings.Contains(s.Sentinel.Do("INFO", "sentinel"), "slaves=1")
	})
	return s
}

func sentinel(name, host, port string) Option {
	return func(s *Server) {
		s.t.Helper()
		config := filepath.Join(s.folder, "sentinel.conf")
		text := "sentinel monitor " + name + " " + host + " " + port + " 1\n" +
			"sentinel down-after-milliseconds " + name + " 500\nsentinel failover-timeout " + name + " 5000\n"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
		port := strconv.Itoa(freePort(s.t))
		s.Address = net.JoinHostPort("127.0.0.1", port)
		s.URL = "redis://" + s.Address
		s.args = []string{config, "--sentinel", "--bind", "127.0.0.1", "--port", port, "--dir", s.folder}
	}
}

// Failover has the sentinel put the replica in the primary's place.
func (s *Sentinels) Failover() { s.Sentinel.Do("SENTINEL", "FAILOVER", "main") }

func eventually(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		if happened() {
			return
		}
	}
	t.Fatalf("it never happened that %s", what)
}

// Certificates are an authority of the test's own, and a certificate of it for
// server and client. The fields are paths.
type Certificates struct {
	CA, Cert, Key string
}

// TLS has the server speak TLS alone, and ask for a client's certificate.
func TLS(certificates *Certificates) Option {
	return func(s *Server) {
		s.t.Helper()
		*certificates = makeCertificates(s.t, s.folder)
		pool, pair := x509.NewCertPool(), tls.Certificate{}
		authority, err := os.ReadFile(certificates.CA)
		if err == nil {
			pool.AppendCertsFromPEM(authority)
			pair, err = tls.LoadX509KeyPair(certificates.Cert, certificates.Key)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		s.tls = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, Certificates: []tls.Certificate{pair}, ServerName: "localhost"}
		port := strconv.Itoa(freePort(s.t))
		s.network, s.Address = "tcp", net.JoinHostPort("127.0.0.1", port)
		s.URL = "rediss://" + s.Address
		s.args = append(s.args, "--bind", "127.0.0.1", "--port", "0", "--tls-port", port,
			"--tls-ca-cert-file", certificates.CA, "--tls-cert-file", certificates.Cert, "--tls-key-file", certificates.Key)
	}
}

func (s *Server) dial(ctx context.Context, d *net.Dialer, address string) (net.Conn, error) {
	if s.tls != nil {
		return (&tls.Dialer{NetDialer: d, Config: s.tls}).DialContext(ctx, s.network, address)
	}
	return d.DialContext(ctx, s.network, address)
}

func makeCertificates(t testing.TB, folder string) Certificates {
	t.Helper()
	template := func(name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
		}
	}
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	sign := func(path string, of, by *x509.Certificate, key, byKey *ecdsa.PrivateKey) string {
		der, err := x509.CreateCertificate(rand.Reader, of, by, &key.PublicKey, byKey)
		if err != nil {
			t.Fatal(err)
		}
		return writePEM(t, filepath.Join(folder, path), "CERTIFICATE", der)
	}
	authority, authorityKey := template("test authority"), newKey()
	authority.IsCA, authority.KeyUsage = true, x509.KeyUsageCertSign
	leaf, leafKey := template("localhost"), newKey()
	leaf.DNSNames, leaf.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	encoded, err := x509.MarshalECPrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	return Certificates{
		CA:   sign("ca.pem", authority, authority, authorityKey, authorityKey),
		Cert: sign("cert.pem", leaf, authority, leafKey, authorityKey),
		Key:  writePEM(t, filepath.Join(folder, "key.pem"), "EC PRIVATE KEY", encoded),
	}
}

func writePEM(t testing.TB, path, kind string, der []byte) string {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
