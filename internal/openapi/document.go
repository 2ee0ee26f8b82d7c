package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	// MaxBytes is how large a document, and each file that it refers to, may be.
	MaxBytes = 32 << 20

	maxOperations = 20_000
)

// Document is an OpenAPI document that was read.
type Document struct {
	root   *file
	top    *object
	files  *library
	legacy bool // 3.0, whose schemas are not quite JSON Schema

	spent, allowed atomic.Int64 // bytes that were looked at, and that may be
}

// maxTotalWork bounds the text that is looked at to describe a document, the same
// text as often as it is: for Stripe's document that is 41 MiB.
const maxTotalWork = 256 << 20

// spend counts text that is looked at; false where that is more than is allowed.
func (d *Document) spend(bytes int) bool { return d.spent.Add(int64(bytes)) <= d.allowed.Load() }

// Option changes how a document is read.
type Option func(*library)

// WithFiles lets references lead to other files. open gets a slash-separated path
// relative to the document's folder, which never starts with a slash and may hold
// dot segments: it must refuse what leads out of that folder. Default: there are
// no other files.
func WithFiles(open func(path string) ([]byte, error)) Option {
	return func(l *library) { l.open = open }
}

// Read reads a document, JSON or YAML. It is refused as a whole only where it is
// neither, too large, or no OpenAPI 3 document.
func Read(data []byte, options ...Option) (*Document, error) {
	files := newLibrary()
	for _, option := range options {
		option(files)
	}
	root, err := files.read("", data)
	if err != nil {
		return nil, err
	}
	d := &Document{root: root, top: root.whole().members(), files: files}
	return d, d.checkVersion()
}

// checkVersion tells the two forms of schemas apart.
func (d *Document) checkVersion() error {
	version := d.top.get("openapi").text()
	switch {
	case strings.HasPrefix(version, "3.0"):
		d.legacy = true
		return nil
	case strings.HasPrefix(version, "3."):
		return nil
	case d.top.get("swagger").exists():
		return errors.New("it is a Swagger 2.0 document: convert it to OpenAPI 3 first")
	case version != "":
		return fmt.Errorf("its version is %.20q: OpenAPI 3.0 and 3.1 can be read", version)
	}
	return errors.New(`it is no OpenAPI document: it has no "openapi" with its version`)
}

// Title is what the document calls itself; may be empty.
func (d *Document) Title() string { return Plain(d.top.get("info").get("title").text()) }

// Version is the version of the API that the document describes; may be empty.
func (d *Document) Version() string { return d.top.get("info").get("version").text() }

// file is one text that references lead into.
type file struct {
	path     string // relative to the document's folder; empty: the document itself
	json     []byte
	elements map[string]*object // objects that were looked into, by pointer
}

func (f *file) whole() value { return value{file: f, json: f.json} }

// textOf brings a document into the form in which it is read.
func textOf(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%d bytes are too many: at most %d are read", len(data), MaxBytes)
	}
	text := rawjson.Trim(data)
	if len(text) > 0 && text[0] == '{' && json.Valid(text) {
		return text, nil
	}
	return fromYAML(data)
}
