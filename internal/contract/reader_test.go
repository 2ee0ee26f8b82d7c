package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// element is one thing that callers rely on, as its proto declares and explains it.
type element struct {
	kind, name  string // `field`, `toolgate.v1.ToolError.code`
	declaration string // `string code = 2`
	comment     string // on one line
}

func (e element) key() string { return e.kind + " " + e.name }

// meaning is what of it is frozen. A comment that is only set otherwise stays
// the same.
func (e element) meaning() string { return e.declaration + "\n  " + e.comment }

// readElements reads the protos of a folder in the layout that buf format gives
// them, which `make lint` holds them to.
func readElements(folder string) (all []element, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.proto"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no protos in %s (%w)", folder, err)
	}
	slices.Sort(files)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		elements, err := readElementsOf(string(source))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		all = append(all, elements...)
	}
	return all, nil
}

type scope struct{ kind, name string }

func readElementsOf(source string) (all []element, err error) {
	var comments []string
	var scopes []scope
	statement := ""
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "//"); ok {
			comments = append(comments, text)
			continue
		}
		statement = strings.TrimSpace(statement + " " + line)
		switch {
		case statement == "":
			comments = nil // it stood alone
		case statement == "}":
			scopes, statement = scopes[:max(len(scopes)-1, 0)], ""
		case strings.HasSuffix(statement, ";") || strings.HasSuffix(statement, "{") || strings.HasSuffix(statement, "{}"):
			found, opened, known := declared(statement, scopes)
			if !known {
				return nil, fmt.Errorf("can't read %q", statement)
			}
			if found.kind != "" {
				found.comment = strings.Join(strings.Fields(strings.Join(comments, " ")), " ")
				all = append(all, found)
			}
			if strings.HasSuffix(statement, "{") {
				scopes = append(scopes, opened)
			}
			if opened.kind == "package" {
				scopes = append(scopes, opened)
			}
			comments, statement = nil, ""
		}
	}
	return all, nil
}

var (
	asideLine   = regexp.MustCompile(`^(syntax|import|option|reserved|extensions)\b`)
	blockLine   = regexp.MustCompile(`^(service|message|enum|oneof) (\w+) \{\}?$`)
	packageLine = regexp.MustCompile(`^package ([\w.]+);$`)
	rpcLine     = regexp.MustCompile(`^rpc (\w+)\(.*\) returns \(.*\);$`)
	fieldLine   = regexp.MustCompile(`^(?:optional |repeated )?(?:map<.*>|[\w.]+) (\w+) = \d+( \[.*\])?;$`)
	valueLine   = regexp.MustCompile(`^(\w+) = -?\d+( \[.*\])?;$`)
)

// declared reads one statement: the element that it declares, if any, and the
// scope that it opens, if any.
func declared(statement string, scopes []scope) (found element, opened scope, known bool) {
	inner := scope{}
	if len(scopes) > 0 {
		inner = scopes[len(scopes)-1]
	}
	found.declaration = strings.TrimRight(statement, " ;{}")
	if match := blockLine.FindStringSubmatch(statement); match != nil {
		found.kind, found.name = match[1], inner.name+"."+match[2]
		opened = scope{match[1], found.name}
		if match[1] == "oneof" {
			opened.name = inner.name // its fields are the message's
		}
		return found, opened, true
	}
	for _, one := range []struct {
		kind string
		in   []string
		as   *regexp.Regexp
	}{
		{"rpc", []string{"service"}, rpcLine}, {"value", []string{"enum"}, valueLine}, {"field", []string{"message", "oneof"}, fieldLine},
	} {
		match := one.as.FindStringSubmatch(statement)
		if match == nil || !slices.Contains(one.in, inner.kind) {
			continue
		}
		if inner.kind == "oneof" {
			found.declaration = "in a oneof: " + found.declaration
		}
		found.kind, found.name = one.kind, inner.name+"."+match[1]
		return found, scope{}, true
	}
	if match := packageLine.FindStringSubmatch(statement); match != nil {
		return element{}, scope{"package", match[1]}, true
	}
	return element{}, scope{}, asideLine.MatchString(statement)
}

// The reader is no compiler: it must find what the compiler found.
func TestTheReaderFindsEveryElementOfTheContract(t *testing.T) {
	elements, err := readElements("../../proto/toolgate/v1")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	for _, e := range elements {
		if read[e.key()] {
			t.Errorf("%s is there twice", e.key())
		}
		read[e.key()] = true
		if e.comment == "" {
			t.Errorf("%s says nothing", e.key())
		}
	}
	compiled := compiledElements(build(t, published()))
	for _, key := range compiled {
		if !read[key] {
			t.Errorf("%s was not read", key)
		}
	}
	if len(read) != len(compiled) || len(read) < 150 {
		t.Errorf("read %d elements of %d", len(read), len(compiled))
	}
}

func compiledElements(s schema) (keys []string) {
	ours := func(d protoreflect.Descriptor) bool { return d.ParentFile().Package() == "toolgate.v1" }
	add := func(kind string, d protoreflect.Descriptor) { keys = append(keys, kind+" "+string(d.FullName())) }
	for _, service := range s.services {
		if ours(service) {
			add("service", service)
			for i := range service.Methods().Len() {
				add("rpc", service.Methods().Get(i))
			}
		}
	}
	for _, enum := range s.enums {
		if ours(enum) {
			add("enum", enum)
			for i := range enum.Values().Len() { // a value's full name lacks its enum's
				keys = append(keys, fmt.Sprintf("value %s.%s", enum.FullName(), enum.Values().Get(i).Name()))
			}
		}
	}
	for _, message := range s.messages {
		if !ours(message) {
			continue
		}
		add("message", message)
		for i := range message.Fields().Len() {
			add("field", message.Fields().Get(i))
		}
		for i := range message.Oneofs().Len() {
			if !message.Oneofs().Get(i).IsSynthetic() {
				add("oneof", message.Oneofs().Get(i))
			}
		}
	}
	return keys
}

func TestTheReaderRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, source := range []string{"extend Foo {\n", "message A {\n  group B = 1 {\n", "enum E {\n string a = 1;\n}\n"} {
		if all, err := readElementsOf(source); err == nil {
			t.Errorf("%q: %v", source, all)
		}
	}
}
