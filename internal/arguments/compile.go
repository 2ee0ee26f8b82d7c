package arguments

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// base is the address of every schema while it compiles; it never shows.
const (
	placeless = "toolgate:///"
	base      = placeless + "input_schema"
)

// readSchema reads a schema's text into what the compiler takes.
func readSchema(text string) (any, error) {
	c := borrow(nil, text)
	defer c.release()
	if err := c.document(); err != nil {
		return nil, &SchemaError{message: "is not JSON: " + err.describe(text)}
	}
	whole := tree(text)
	if c.duplicate {
		place := pointer(duplicates(whole, nil)[0])
		return nil, &SchemaError{Pointer: place, message: "names a key twice: " + place}
	}
	doc := whole.value()
	if object, ok := doc.(map[string]any); ok {
		dropForeignDialect(object)
	}
	return doc, nil
}

// dropForeignDialect reads a dialect that is not among the drafts (OpenAPI 3.1
// names one of its own) as draft 2020-12, which it extends.
func dropForeignDialect(schema map[string]any) {
	dialect, ok := schema["$schema"].(string)
	if ok && !strings.Contains(dialect, "//json-schema.org/") {
		delete(schema, "$schema")
	}
}

// judge compiles a schema. Formats are asserted; nothing is loaded.
func judge(doc any) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(nothing{})
	c.UseRegexpEngine(compilePattern)
	for name, is := range formats {
		c.RegisterFormat(judgeFormat(name, is))
	}
	if err := c.AddResource(base, doc); err != nil {
		return nil, placed(err, doc)
	}
	compiled, err := c.Compile(base)
	if err != nil {
		return nil, placed(err, doc)
	}
	return compiled, nil
}

// nothing is a loader that loads nothing: a schema is complete in itself.
type nothing struct{}

func (nothing) Load(address string) (any, error) {
	return nil, fmt.Errorf("%s is not loaded", address)
}

// located words a compiler's error by where in the schema it is.
func located(err error) error {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if failed, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			return errors.New(worstOf(failed))
		}
	}
	if pattern, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		return fmt.Errorf("at %s: the pattern %q does not compile: %w", fragment(pattern.URL), pattern.Regex, pattern.Err)
	}
	if dangling, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return fmt.Errorf("has a $ref to %s, which is not there", fragment(dangling.URL))
	}
	if outside, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return fmt.Errorf("refers to %s outside of itself, and nothing is loaded", strings.TrimPrefix(outside.URL, placeless))
	}
	return errors.New(strings.ReplaceAll(err.Error(), base, ""))
}

// fragment is the JSON pointer of a location, as written in the schema.
func fragment(location string) string {
	_, pointer, _ := strings.Cut(location, "#")
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	if pointer == "" {
		return "its root"
	}
	return pointer
}

// worstOf says what breaks the rules for schemas, at most three places.
func worstOf(err *jsonschema.ValidationError) string {
	var all []string
	printer := message.NewPrinter(language.English)
	var visit func(*jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 && !namesNoType(err, e) {
			all = append(all, fmt.Sprintf("at %s: %s", pointerOr(e.InstanceLocation, "its root"), e.ErrorKind.LocalizedString(printer)))
		}
		for _, cause := range e.Causes {
			visit(cause)
		}
	}
	visit(err)
	slices.Sort(all)
	all = slices.Compact(all)
	return strings.Join(all[:min(len(all), 3)], "; ")
}

// namesNoType reports the half of a finding that only confuses: `type` may be a
// name or a list of names, and what is no known name is not a list either.
func namesNoType(root, leaf *jsonschema.ValidationError) bool {
	wrong, ok := leaf.ErrorKind.(*kind.Type)
	place := leaf.InstanceLocation
	return ok && leaf != root && wrong.Got == "string" && len(place) > 0 && place[len(place)-1] == "type"
}
