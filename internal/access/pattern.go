package access

import "strings"

// pattern is a text in which `*` stands for any characters.
type pattern struct {
	text  string
	parts []string // between the stars
}

func patternOf(text string) pattern { return pattern{text: text, parts: strings.Split(text, "*")} }

// fits reports whether all of a name is what the pattern says.
func (p pattern) fits(name string) bool {
	first, last := p.parts[0], p.parts[len(p.parts)-1]
	if len(p.parts) == 1 {
		return name == first
	}
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, part := range p.parts[1 : len(p.parts)-1] {
		_, rest, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name = rest
	}
	return true
}

func anyFits(patterns []pattern, name string) bool {
	for _, p := range patterns {
		if p.fits(name) {
			return true
		}
	}
	return false
}
