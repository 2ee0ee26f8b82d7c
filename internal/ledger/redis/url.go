package redis

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

const defaultPort = "6379"

// target is what a URL says. It holds secrets; address is what may be shown.
type target struct {
	address   string // for people
	addresses []string
	unix      bool
	username  string
	password  string
	database  int
	tls       *tls.Config
	mode      string // empty: found out
	prefix    string

	masterName, sentinelUser, sentinelPassword string
}

// The modes of a deployment.
const (
	modeSingle   = "single"
	modeCluster  = "cluster"
	modeSentinel = "sentinel"
)

var parameters = []string{
	"ca", "cert", "db", "key", "mode", "password_file", "prefix", "sentinel", "sentinel_password_file", "sentinel_user", "server_name",
}

// parseURL reads a URL of the forms that the package comment names. No error
// shows the URL itself: it may hold a password.
func parseURL(text string) (*target, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return nil, errors.New("the URL of the state has no scheme: want redis://host:6379, rediss://host:6379 or unix:///path")
	}
	rest, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("the parameters of the state's URL can't be read")
	}
	for name, value := range values {
		if !slices.Contains(parameters, name) {
			return nil, fmt.Errorf("the state's URL has an unknown parameter %q; known are %s", name, strings.Join(parameters, ", "))
		}
		if len(value) > 1 {
			return nil, fmt.Errorf("the state's URL has the parameter %q twice", name)
		}
	}
	t := &target{}
	authority, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		if err := t.readUser(authority[:at]); err != nil {
			return nil, err
		}
		authority = authority[at+1:]
	}
	switch scheme {
	case "redis", "valkey", "rediss", "valkeys":
		if strings.HasSuffix(scheme, "ss") || scheme == "valkeys" {
			t.tls = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		err = t.readHosts(authority, path)
	case "unix":
		err = t.readSocket(authority, path)
	default:
		return nil, fmt.Errorf("the state's URL has the scheme %q; want redis, rediss or unix", scheme)
	}
	if err != nil {
		return nil, err
	}
	return t, t.readParameters(values)
}

func (t *target) readUser(info string) error {
	user, password, _ := strings.Cut(info, ":")
	var errUser, errPassword error
	t.username, errUser = url.PathUnescape(user)
	t.password, errPassword = url.PathUnescape(password)
	if errUser != nil || errPassword != nil {
		return errors.New("user or password in the state's URL are not percent-encoded: write % as %25, @ as %40, / as %2F")
	}
	return nil
}

func (t *target) readHosts(authority, path string) error {
	for address := range strings.SplitSeq(authority, ",") {
		host, port, err := net.SplitHostPort(address)
		if err != nil { // no port
			host, port = strings.Trim(address, "[]"), defaultPort
		}
		if port == "" {
			port = defaultPort
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if host == "" || strings.ContainsAny(host, " /") || err != nil || number == 0 {
			return fmt.Errorf("the state's URL has the address %q; want host:port", address)
		}
		t.addresses = append(t.addresses, net.JoinHostPort(host, port))
	}
	t.address = strings.Join(t.addresses, ",")
	return t.readDatabase(path)
}

func (t *target) readSocket(authority, path string) error {
	if authority != "" || path == "" {
		return errors.New("the path of a socket in the state's URL must be absolute: unix:///run/redis.sock")
	}
	t.unix, t.address, t.addresses = true, "/"+path, []string{"/" + path}
	return nil
}

func (t *target) readDatabase(text string) error {
	if text == "" {
		return nil
	}
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return fmt.Errorf("the state's URL has the database %q; want a number", text)
	}
	t.database = int(number)
	return nil
}

func (t *target) readParameters(values url.Values) error {
	t.prefix, t.mode, t.masterName = values.Get("prefix"), values.Get("mode"), values.Get("sentinel")
	t.sentinelUser = values.Get("sentinel_user")
	if strings.ContainsAny(t.prefix, "{}") {
		return errors.New("the prefix in the state's URL must not contain braces: they choose the slot of a cluster")
	}
	if err := t.readDatabase(values.Get("db")); err != nil {
		return err
	}
	var err error
	if t.password, err = secret(values.Get("password_file"), t.password); err != nil {
		return err
	}
	if t.sentinelPassword, err = secret(values.Get("sentinel_password_file"), ""); err != nil {
		return err
	}
	if err := t.readTLS(values); err != nil {
		return err
	}
	return t.readMode()
}

// readMode makes sure that the parts of the URL speak of one deployment.
func (t *target) readMode() error {
	if t.mode == "" {
		switch {
		case t.masterName != "":
			t.mode = modeSentinel
		case len(t.addresses) > 1:
			t.mode = modeCluster
		case t.unix, t.database != 0:
			t.mode = modeSingle
		}
	}
	switch {
	case !slices.Contains([]string{"", modeSingle, modeCluster, modeSentinel}, t.mode):
		return fmt.Errorf("the state's URL has the mode %q; want single, cluster or sentinel", t.mode)
	case (t.mode == modeSentinel) != (t.masterName != ""):
		return errors.New("sentinels need the name of their primary, and nothing else does: sentinel=NAME")
	case t.mode == modeCluster && t.database != 0:
		return errors.New("a cluster has no databases but 0")
	case t.mode == modeSingle && len(t.addresses) > 1:
		return errors.New("several addresses in the state's URL are a cluster, or sentinels with sentinel=NAME")
	}
	return nil
}

func (t *target) readTLS(values url.Values) error {
	ca, cert, key, name := values.Get("ca"), values.Get("cert"), values.Get("key"), values.Get("server_name")
	if t.tls == nil {
		if ca+cert+key+name != "" {
			return errors.New("ca, cert, key and server_name in the state's URL need TLS: write rediss://")
		}
		return nil
	}
	t.tls.ServerName = name
	if ca != "" {
		pem, err := os.ReadFile(ca) //nolint:gosec // the operator names it
		if err != nil {
			return fmt.Errorf("the state's ca: %w", err)
		}
		t.tls.RootCAs = x509.NewCertPool()
		if !t.tls.RootCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("the state's ca: %s holds no certificate", ca)
		}
	}
	if (cert == "") != (key == "") {
		return errors.New("cert and key in the state's URL belong together")
	}
	if cert != "" {
		// Read for each connection, so that a renewed certificate is picked up.
		if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
			return fmt.Errorf("the state's cert and key: %w", err)
		}
		t.tls.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(cert, key)
			return &pair, err
		}
	}
	return nil
}

// secret reads a secret from a file where one is named.
func secret(path, otherwise string) (string, error) {
	if path == "" {
		return otherwise, nil
	}
	content, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil {
		return "", fmt.Errorf("a password of the state: %w", err)
	}
	return strings.TrimRight(string(content), "\r\n"), nil
}
