package catalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Reading is a catalogue's text and what came of it, for those who judge it. It
// is there for a catalogue that is refused, too, as far as that could be read.
type Reading struct {
	// Name is the file's, as Read was given it.
	Name string
	// Text is what was read, its line breaks all \n and no byte order mark.
	Text string
	// Root is the text's tree as it is written: aliases and merge keys are put
	// in, with the places of what they stand for. nil where there is no tree.
	Root *yaml.Node
	// Written is what could be understood of it. Never nil.
	Written *catalogv1.Catalog
	// Entries are the tools, in the order of the file.
	Entries []Entry
	// Problems refuse the catalogue. In the order of the file.
	Problems Problems
	// Warnings refuse nothing; see Catalog.Warnings.
	Warnings Problems
	// Notes are what could be better about what is served.
	Notes Problems
	// Imports are what became of the documents under `openapi`, in their order;
	// those that could not be read are missing.
	Imports []*Import
	// Catalog is the compiled catalogue; nil where it is refused.
	Catalog *Catalog
}

// Entry is one tool of a Reading.
type Entry struct {
	// Index is its place in `tools`.
	Index int
	// Written is what the operator wrote.
	Written *catalogv1.Tool
	// Tool is what it was compiled to. Where the entry has a problem the parts
	// that are wrong are zero.
	Tool *interceptors.Tool
}

// Read reads a catalogue's text to the end, whatever is wrong with it. The error
// means that nothing can be read at all, for a reason that is not in the text.
func Read(name string, data []byte, options ...Option) (*Reading, error) {
	problems := newReport(name)
	text := newSource(name, data)
	message := &catalogv1.Catalog{}
	root := text.read(problems, message)
	reading := &Reading{Name: name, Text: string(text.data), Written: message, Root: text.raw}
	if root == nil {
		_ = problems.err() // which sorts them
		reading.Problems = problems.found
		return reading, nil
	}
	b, err := newBuilder(problems, text, message, root, newSettings(options))
	if err != nil {
		return nil, err
	}
	reading.Catalog, _ = b.build() // its error is the problems
	for _, e := range b.entries {
		if e.added == nil && !e.imported {
			reading.Entries = append(reading.Entries, Entry{Index: e.place, Written: e.written, Tool: e.tool})
		}
	}
	slices.SortFunc(reading.Entries, func(a, b Entry) int { return cmp.Compare(a.Index, b.Index) })
	if b.settings.noVocabularies { // who reads a file alone knows that nobody was asked
		problems.warned = slices.DeleteFunc(problems.warned, func(p Problem) bool {
			return strings.HasPrefix(p.Path, "grpc[") || strings.HasPrefix(p.Path, "mcp[")
		})
	}
	problems.warned.sort()
	problems.noted.sort()
	reading.Imports = problems.outcomes
	reading.Problems, reading.Warnings, reading.Notes = problems.found, problems.warned, problems.noted
	return reading, nil
}

// Alone reads a file without what surrounds it where it is served: secrets are
// not read, functions taken to be registered, vocabularies not looked at, servers not asked. What
// comes of it is not to be served.
func Alone() Option {
	return func(s *settings) {
		UnreadSecrets()(s)
		AnyFunction()(s)
		s.noVocabularies, s.offline = true, true
	}
}

// UnreadSecrets checks the form of secrets and reads none, nor any certificate.
// What comes of it is
// not to be served.
func UnreadSecrets() Option {
	read := WithSecrets(func(from string) (string, error) {
		if !NamesSecret(from) {
			return "", errSecretForm
		}
		return "unread", nil
	})
	return func(s *settings) {
		read(s)
		s.unreadFiles = true
	}
}

// AnyFunction takes the Go functions that a file names to be registered. What
// comes of it is not to be served.
func AnyFunction() Option { return func(s *settings) { s.anyFunction = true } }

// NamesSecret reports whether a text is `env:NAME` or `file:PATH`, and so no
// secret itself.
func NamesSecret(from string) bool {
	source, name, _ := strings.Cut(from, ":")
	return source == "env" && envName.MatchString(name) || source == "file" && name != ""
}

// Locate finds the line and column of a value, following names (string) and list
// positions (int) in the text as it is written, as far as they lead.
func (r *Reading) Locate(steps ...any) (line, column int) {
	place := at{node: r.Root}
	for _, step := range steps {
		name, isName := step.(string)
		if !isName {
			name = strconv.Itoa(step.(int))
		}
		next, found := place.child(name)
		if !found {
			if next, found = place.child(camelCase(name)); !found {
				break
			}
		}
		place = next
	}
	if place.node == nil {
		return 1, 1
	}
	return max(1, place.node.Line), max(1, place.node.Column)
}
