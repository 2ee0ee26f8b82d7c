package arguments

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// SchemaError is why a schema does not compile. It is an error of Compile.
type SchemaError struct {
	// Pointer is the JSON Pointer (RFC 6901) of the place in the schema; empty:
	// its root, or no place in it.
	Pointer string

	message string
}

func (e *SchemaError) Error() string { return "input_schema " + e.message }

// placed gives a fault of a schema its place. The words are located's.
func placed(err error, doc any) error {
	return &SchemaError{Pointer: placeOf(err, doc), message: located(err).Error()}
}

func placeOf(err error, doc any) string {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if failed, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			return firstLeaf(failed)
		}
	}
	if pattern, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		if place := fragment(pattern.URL); strings.HasPrefix(place, "/") {
			return place
		}
	}
	if dangling, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return referenceTo(dangling.URL, doc, nil)
	}
	if lost, ok := errors.AsType[*jsonschema.AnchorNotFoundError](err); ok {
		return referenceTo(lost.Reference, doc, nil)
	}
	if outside, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return referenceTo(outside.URL, doc, nil)
	}
	return ""
}

// firstLeaf is the place of the finding that worstOf names first.
func firstLeaf(err *jsonschema.ValidationError) string {
	if len(err.Causes) == 0 {
		return pointer(err.InstanceLocation)
	}
	var places []string
	for _, cause := range err.Causes {
		places = append(places, firstLeaf(cause))
	}
	return slices.Min(places)
}

// referenceTo finds the reference that was resolved to an address; empty where
// it can't be told.
func referenceTo(address string, within any, path []string) string {
	switch within := within.(type) {
	case map[string]any:
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef", "$schema"} {
			written, ok := within[keyword].(string)
			if ok && written != "" && strings.HasSuffix(address, strings.TrimPrefix(written, "./")) {
				return pointer(deeper(path, keyword))
			}
		}
		for _, name := range sortedNames(within) {
			if found := referenceTo(address, within[name], deeper(path, name)); found != "" {
				return found
			}
		}
	case []any:
		for i, item := range within {
			if found := referenceTo(address, item, deeper(path, strconv.Itoa(i))); found != "" {
				return found
			}
		}
	}
	return ""
}

func sortedNames(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
