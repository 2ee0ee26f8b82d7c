package diagnose

import "strings"

// echoed finds the argument whose value the provider repeats. Two arguments
// with the same value leave it open.
func (x *argumentIndex) echoed(value string) (string, bool) {
	value = strings.TrimSpace(value)
	if value == "" {
		return "", false
	}
	if path, ok := x.only(func(s string) bool { return s == value }); ok {
		return path, true
	}
	if len(value) < 2 {
		return x.only(func(s string) bool { return hasPiece(s, value) })
	}
	if path, ok := x.only(func(s string) bool { return strings.EqualFold(s, value) }); ok {
		return path, true
	}
	if path, ok := x.only(func(s string) bool { return hasPiece(s, value) }); ok {
		return path, true
	}
	// The provider may qualify what it was given: schema.table.
	return x.only(func(s string) bool { return len(s) >= 3 && hasPiece(value, s) })
}

// only is the path of the one scalar that matches.
func (x *argumentIndex) only(match func(string) bool) (string, bool) {
	found := ""
	for i := range x.sent {
		a := &x.sent[i]
		if a.node.isContainer() || a.node.kind == nullNode || !match(a.node.str()) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = a.path()
	}
	return found, found != ""
}

// hasPiece reports whether piece is one of the parts of s between separators.
func hasPiece(s, piece string) bool {
	if len(s) <= len(piece) || len(s) > 512 {
		return false
	}
	for rest := s; ; {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		before, after := i == 0 || separator(rest[i-1]), i+len(piece) == len(rest) || separator(rest[i+len(piece)])
		if before && after {
			return true
		}
		rest = rest[i+1:]
	}
}

func separator(c byte) bool {
	return strings.IndexByte(".,:;/\\ =()[]{}|&?#\"'", c) >= 0
}
