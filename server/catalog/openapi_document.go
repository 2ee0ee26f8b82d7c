package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"toolgate.dev/toolgate/internal/egress"
	"toolgate.dev/toolgate/internal/openapi"
)

const (
	fetchTimeout  = 10 * time.Second
	maxRedirects  = 5
	fetchAccepted = "application/json, application/yaml;q=0.9, application/vnd.oai.openapi;q=0.9, */*;q=0.5"
)

// Documents keeps what was fetched from addresses, so that a catalogue that is
// loaded again is served although one of them does not answer. It is safe for
// concurrent use.
type Documents struct {
	mu   sync.Mutex
	kept map[string][]byte // by address
}

// NewDocuments keeps nothing yet.
func NewDocuments() *Documents { return &Documents{kept: map[string][]byte{}} }

func (d *Documents) get(address string) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, known := d.kept[address]
	return text, known
}

func (d *Documents) put(address string, text []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept[address] = text
}

// WithDocuments has addresses of documents that do not answer stand for what they
// said the last time. Give the same one when a catalogue is loaded again. Default:
// nothing is kept, and an address that does not answer refuses the catalogue.
func WithDocuments(documents *Documents) Option {
	return func(s *settings) { s.documents = documents }
}

func isAddress(document string) bool {
	return strings.HasPrefix(document, "http://") || strings.HasPrefix(document, "https://")
}

// read reads the document; false where it can't be, which was said.
func (o *openAPIImport) read() bool {
	name, place := o.written.GetDocument(), o.at.field("document")
	var err error
	switch {
	case name == "":
		o.report.sayf(place, "a file, or an http or https URL", "the document is missing")
		return false
	case o.settings.noVocabularies: // nothing beside the file is looked at
		return false
	case o.settings.offline && isAddress(name):
		o.report.warn(place, Problem{Message: "the document is not read here: its tools are missing"})
		return false
	case isAddress(name):
		err = o.readAddress(name)
	default:
		err = o.readFile(name)
	}
	if err != nil {
		o.report.darken(place, Problem{Message: fmt.Sprintf("the document %s can't be read: %v", quote(name), err), Accepted: "an OpenAPI 3.0 or 3.1 document, JSON or YAML"})
		return false
	}
	return true
}

// readFile reads a file, and those in its folder that it refers to.
func (o *openAPIImport) readFile(name string) error {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(o.source.name), name)
	}
	open := func(path string) ([]byte, error) {
		text, err := readWithin(filepath.Dir(name), path)
		o.settings.readFile(filepath.Join(filepath.Dir(name), filepath.FromSlash(path)), digestOf(text, err))
		return text, bare(err)
	}
	text, err := open(filepath.Base(name))
	if err != nil {
		return err
	}
	o.document, err = openapi.Read(text, openapi.WithFiles(open))
	return err
}

// readWithin reads a file of a folder or below it; no link leads out of it.
func readWithin(folder, path string) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(file, openapi.MaxBytes+1))
}

// bare is the error without the path, which stands beside it already.
func bare(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err
	}
	return err
}

// readAddress fetches a document. One that was there before stands in for one that
// is not there now.
func (o *openAPIImport) readAddress(address string) error {
	text, err := fetch(address)
	if err == nil {
		o.document, err = openapi.Read(text)
	}
	if err == nil {
		if o.settings.documents != nil {
			o.settings.documents.put(address, text)
		}
		return nil
	}
	if o.settings.documents == nil {
		return err
	}
	former, known := o.settings.documents.get(address)
	if !known {
		return err
	}
	o.report.warn(o.at.field("document"), Problem{Message: fmt.Sprintf("the document can't be read now, and serves as it was read before: %v", err)})
	o.document, err = openapi.Read(former)
	return err
}

func fetch(address string) ([]byte, error) {
	ctx, stop := context.WithTimeout(context.Background(), fetchTimeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, errors.New("this is no URL")
	}
	req.Header.Set("Accept", fetchAccepted)
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSHandshakeTimeout: fetchTimeout,
		DialContext: (&net.Dialer{Control: egress.List("").Control}).DialContext,
	}
	client := &http.Client{Transport: transport, CheckRedirect: redirectable}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s", resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, openapi.MaxBytes+1))
}

// redirectable follows a few redirects, and none out of TLS.
func redirectable(next *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= maxRedirects:
		return errors.New("it is redirected too often")
	case via[0].URL.Scheme == "https" && next.URL.Scheme != "https":
		return errors.New("it is redirected to an address without TLS")
	}
	return nil
}
