package runner

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"

	"buf.build/go/protoyaml"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

var vectorName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Load reads the vectors of a folder's *.yaml, by file name and in their order.
// The error names the file and, where YAML does not fit, the line.
func Load(folder fs.FS) ([]*conformancev1.Vector, error) {
	files, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []*conformancev1.Vector
	seen := map[string]bool{}
	for _, file := range files {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		var read conformancev1.Vectors
		if err := (protoyaml.UnmarshalOptions{Path: file}).Unmarshal(text, &read); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, vector := range read.GetVectors() {
			if vector.GetCatalog() == "" && len(vector.GetGateway()) == 0 {
				vector.Catalog = read.GetCatalog()
			}
			if fault := faultOf(vector, seen); fault != "" {
				return nil, fmt.Errorf("%s: %s: %s", file, vector.GetName(), fault)
			}
			seen[vector.GetName()] = true
		}
		all = append(all, read.GetVectors()...)
	}
	return all, nil
}

// faultOf says why a vector can't be played; empty: it can.
func faultOf(vector *conformancev1.Vector, seen map[string]bool) string {
	switch {
	case !vectorName.MatchString(vector.GetName()):
		return "a name is words of a-z and 0-9 joined by -"
	case seen[vector.GetName()]:
		return "another vector has this name"
	case len(vector.GetSteps()) == 0:
		return "it has no steps"
	case (vector.GetCatalog() == "") == (len(vector.GetGateway()) == 0):
		return "either a catalog or the answers of a gateway"
	}
	for _, step := range vector.GetSteps() {
		if step.GetAction().GetKind() == nil {
			return "a step without an action"
		}
	}
	return ""
}
