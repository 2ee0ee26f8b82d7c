package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/openapi"
)

const (
	maxSecretBytes = 64 << 10
	secretForms    = "env:NAME, file:PATH" //nolint:gosec // it says how to name one
)

var (
	errSecretForm  = errors.New("a secret stands nowhere in the file")
	errSecretEmpty = errors.New("the secret is empty")
	envName        = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// secretReader reads secrets from the environment and from files; folder is
// what relative paths start from, and read is told of each file. No error holds
// a value, nor what stands in the place of a reference, which may be one.
func secretReader(folder string, read func(path string, digest [sha256.Size]byte)) func(string) (string, error) {
	return func(from string) (string, error) {
		source, name, _ := strings.Cut(from, ":")
		switch {
		case source == "env" && envName.MatchString(name):
			value, set := os.LookupEnv(name)
			if !set {
				return "", fmt.Errorf("the environment variable %s is not set", name)
			}
			return value, nil
		case source == "file" && name != "":
			if !filepath.IsAbs(name) {
				name = filepath.Join(folder, name)
			}
			return readSecret(name, read)
		}
		return "", errSecretForm
	}
}

func readSecret(path string, read func(path string, digest [sha256.Size]byte)) (string, error) {
	value, err := readBounded(path, maxSecretBytes)
	if len(value) > maxSecretBytes {
		read(path, FileDigest(path))
	} else {
		read(path, digestOf(value, err))
	}
	if err != nil {
		return "", fmt.Errorf("the file can't be read: %w", err)
	}
	if len(value) > maxSecretBytes {
		return "", fmt.Errorf("the file %s is no secret: it is larger than %d bytes", path, maxSecretBytes)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(value), "\n"), "\r"), nil
}

// readBounded reads a file, one byte more than is accepted at most.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(file, limit+1))
}

// FileDigest is what WithReadFiles says of a file, now.
func FileDigest(path string) [sha256.Size]byte { return digestOf(readBounded(path, openapi.MaxBytes)) }

func digestOf(value []byte, err error) [sha256.Size]byte {
	if err != nil {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(value)
}

// secrets are values by the name of their header or parameter.
type secrets struct {
	sent   map[string]string // with their prefix
	values []string          // without
}

// readSecrets reads a map of secrets.
func (b *builder) readSecrets(at at, written map[string]*catalogv1.Secret) secrets {
	read := secrets{sent: map[string]string{}}
	for _, name := range sortedKeys(written) {
		place := at
		place = place.field(name)
		value, err := b.settings.secret(written[name].GetFrom())
		if err == nil && value == "" {
			err = errSecretEmpty
		}
		if err != nil {
			b.report.add(place.field("from"), Problem{Message: err.Error(), Accepted: secretForms})
			continue
		}
		read.sent[name] = written[name].GetPrefix() + value
		read.values = append(read.values, value)
	}
	return read
}

// echoes lists the forms in which an upstream may send a secret back.
func echoes(values []string) []string {
	var forms []string
	add := func(form string) {
		if form != "" && !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	for _, value := range values {
		add(value)
		add(url.QueryEscape(value))
		add(url.PathEscape(value))
		if decoded, err := base64.StdEncoding.DecodeString(value); err == nil && len(decoded) >= 8 && printable(decoded) {
			add(string(decoded))
			if _, password, found := strings.Cut(string(decoded), ":"); found && len(password) >= 4 {
				add(password) // of a Basic credential (RFC 7617)
			}
		}
	}
	return forms
}

func printable(text []byte) bool {
	for _, c := range text {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}
