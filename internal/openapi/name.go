package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxNameBytes is how long the name of a tool may be.
const maxNameBytes = 64

// reservedName is what a gateway counts unknown names under.
const reservedName = "unknown_tool"

// clean makes a name of A-Za-z0-9_- of any text, which is what all makers of models
// take: whatever else stands there becomes one underscore. A text that is too long
// keeps its beginning and ends in a hash of the whole.
func clean(text string, size int) string {
	name := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			name = append(name, c)
		case len(name) > 0 && name[len(name)-1] != '_':
			name = append(name, '_')
		}
	}
	short := strings.Trim(string(name), "_-")
	if len(short) <= size {
		return short
	}
	return strings.TrimRight(short[:size-len("_")-hashBytes], "_-") + "_" + hash(short)
}

const hashBytes = 8

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:hashBytes]
}

// pathName is the name of an operation that has none: `get_users_by_id_posts`.
func pathName(method, path string) string {
	words := []string{strings.ToLower(method)}
	for segment := range strings.SplitSeq(path, "/") {
		word := clean(segment, maxNameBytes)
		if word == "" {
			continue
		}
		if strings.HasPrefix(segment, "{") {
			word = "by_" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, "_")
}

// names gives each operation a name of its own, the same one whatever else the
// document holds as long as its id is its own.
type names struct {
	prefix string
	taken  map[string]bool
}

func (n *names) name(op *operation) string {
	wanted := op.hints.name
	if wanted == "" {
		wanted = op.id
	}
	if name := n.free(wanted); name != "" {
		return name
	}
	if name := n.free(pathName(op.method, op.path)); name != "" {
		return name
	}
	return n.free(cut64(pathName(op.method, op.path), maxNameBytes-len(n.prefix)-hashBytes-1) + "_" + hash(op.method+" "+op.path))
}

func cut64(text string, size int) string { return text[:min(len(text), max(size, 0))] }

// free takes a name that nobody has; empty where somebody does.
func (n *names) free(wanted string) string {
	name := clean(wanted, max(maxNameBytes-len(n.prefix), hashBytes+2))
	if name == "" || n.taken[strings.ToLower(name)] {
		return ""
	}
	n.taken[strings.ToLower(name)] = true
	return n.prefix + name
}
