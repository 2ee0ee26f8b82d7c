package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
)

const (
	maxFiles = 64
	// maxHops bounds how many references may lead to one thing.
	maxHops = 32
	// largeObject is the size from which an object's members are remembered.
	largeObject = 2 << 10
)

// library holds the texts that a document consists of.
type library struct {
	open func(path string) ([]byte, error) // nil: there are no others

	mu     sync.Mutex // guards what is below, and the elements of files
	files  map[string]*file
	broken map[string]error
}

func newLibrary() *library { return &library{files: map[string]*file{}, broken: map[string]error{}} }

func (l *library) read(name string, data []byte) (*file, error) {
	text, err := textOf(data)
	if err != nil {
		return nil, err
	}
	f := &file{path: name, json: text, elements: map[string]*object{}}
	if !f.whole().isObject() {
		return nil, errors.New("it is no mapping")
	}
	l.files[name] = f
	return f, nil
}

// find is the file at a path, read when it is first asked for.
func (l *library) find(name string) (*file, error) {
	if f, known := l.files[name]; known {
		return f, nil
	}
	if err, known := l.broken[name]; known {
		return nil, err
	}
	f, err := l.load(name)
	if err != nil {
		l.broken[name] = err
	}
	return f, err
}

func (l *library) load(name string) (*file, error) {
	switch {
	case l.open == nil:
		return nil, errors.New("no other file is read")
	case len(l.files) >= maxFiles:
		return nil, fmt.Errorf("more than %d files", maxFiles)
	}
	data, err := l.open(name)
	if err != nil {
		return nil, err
	}
	return l.read(name, data)
}

// reference is where a $ref leads: a place by its address.
type reference struct {
	file    string
	pointer string
}

func (r reference) String() string { return r.file + "#" + r.pointer }

// name is the last step of the pointer, which is what a person calls it.
func (r reference) name() string {
	step := r.pointer[strings.LastIndexByte(r.pointer, '/')+1:]
	if step == "" {
		step = strings.TrimSuffix(path.Base(r.file), path.Ext(r.file))
	}
	return unescape(step)
}

var errRemote = errors.New("is an address, and nothing is fetched")

// parseReference reads a $ref as it stands in a file.
func parseReference(from *file, text string) (reference, error) {
	where, fragment, _ := strings.Cut(text, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	if fragment != "" && fragment[0] != '/' {
		return reference{}, fmt.Errorf("the reference %.80q names an anchor: only pointers are followed", text)
	}
	r := reference{file: from.path, pointer: strings.TrimSuffix(fragment, "/")}
	if where == "" {
		return r, nil
	}
	if strings.Contains(where, "://") || strings.HasPrefix(where, "//") {
		return reference{}, fmt.Errorf("the reference %.80q %w", text, errRemote)
	}
	if decoded, err := url.PathUnescape(where); err == nil {
		where = decoded
	}
	if strings.HasPrefix(where, "/") || strings.Contains(where, `\`) {
		return reference{}, fmt.Errorf("the reference %.80q leads out of the document's folder", text)
	}
	r.file = path.Join(path.Dir(from.path), where)
	if r.file == ".." || strings.HasPrefix(r.file, "../") {
		return reference{}, fmt.Errorf("the reference %.80q leads out of the document's folder", text)
	}
	return r, nil
}

// look finds what a reference leads to.
func (d *Document) look(r reference) (value, error) {
	d.files.mu.Lock()
	defer d.files.mu.Unlock()
	f, err := d.files.find(r.file)
	if err != nil {
		return value{}, fmt.Errorf("the reference to %.80q can't be followed: %w", r.file, err)
	}
	found, ok := f.at(r.pointer)
	if !ok {
		return value{}, fmt.Errorf("the reference to %.80q leads nowhere", r.String())
	}
	return found, nil
}

// at follows a JSON Pointer (RFC 6901). What is large on the way is remembered:
// every operation refers into the same few objects.
func (f *file) at(pointer string) (value, bool) {
	here := f.whole()
	walked := ""
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		here = f.step(here, walked, unescape(step))
		if !here.exists() {
			return value{}, false
		}
		walked += "/" + step
	}
	return here, true
}

func (f *file) step(from value, walked, name string) value {
	if !from.isObject() {
		items := from.items()
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(items) {
			return items[i]
		}
		return value{}
	}
	if len(from.json) < largeObject {
		return from.get(name)
	}
	known, ok := f.elements[walked]
	if !ok {
		known = from.members()
		f.elements[walked] = known
	}
	return known.get(name)
}

func unescape(step string) string {
	if !strings.Contains(step, "~") {
		return step
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
}

// follow is what stands behind references, any number of them; v itself where it is
// none.
func (d *Document) follow(v value) (value, error) {
	for range maxHops {
		text := v.get("$ref")
		if !text.exists() || text.text() == "" {
			return v, nil
		}
		r, err := parseReference(v.file, text.text())
		if err != nil {
			return value{}, err
		}
		if v, err = d.look(r); err != nil {
			return value{}, err
		}
	}
	return value{}, errors.New("its references go in circles")
}
