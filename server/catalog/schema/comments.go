package schema

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

var (
	opening = regexp.MustCompile(`^(message|enum|oneof) (\w+) \{(\})?`)
	member  = regexp.MustCompile(`^(?:(?:repeated|optional) )?(?:map<[^>]*>|[\w.]+) (\w+) = \d+`)
	value   = regexp.MustCompile(`^(\w+) = \d+`)
)

// commentsOf reads the comments of protos as buf formats them: a declaration a
// line, its comment right above. Keys are full names without the package:
// `Tool`, `Tool.name`, `Effect.EFFECT_READ`.
func commentsOf(protos fs.FS) (map[string]string, error) {
	files, err := fs.Glob(protos, "*.proto")
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	comments := map[string]string{}
	for _, name := range files {
		text, err := fs.ReadFile(protos, name)
		if err != nil {
			return nil, err
		}
		readComments(string(text), comments)
	}
	return comments, nil
}

// scope is what a declaration stands in.
type scope struct{ kind, name string }

func readComments(text string, comments map[string]string) {
	var scopes []scope
	var above []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(line, "//"); ok {
			above = append(above, strings.TrimSpace(comment))
			continue
		}
		said := strings.Join(above, "\n")
		above = nil
		switch found := opening.FindStringSubmatch(line); {
		case found != nil:
			scopes = append(scopes, scope{found[1], found[2]})
			if found[1] != "oneof" {
				comments[nameOf(scopes)] = said
			}
			if found[3] != "" {
				scopes = scopes[:len(scopes)-1]
			}
		case strings.HasPrefix(line, "}") && len(scopes) > 0:
			scopes = scopes[:len(scopes)-1]
		case len(scopes) > 0:
			pattern := member
			if scopes[len(scopes)-1].kind == "enum" {
				pattern = value
			}
			if found := pattern.FindStringSubmatch(line); found != nil {
				comments[nameOf(scopes)+"."+found[1]] = said
			}
		}
	}
}

// nameOf is the full name of a scope; a oneof is none.
func nameOf(scopes []scope) string {
	var names []string
	for _, s := range scopes {
		if s.kind != "oneof" {
			names = append(names, s.name)
		}
	}
	return strings.Join(names, ".")
}
