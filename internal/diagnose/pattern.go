package diagnose

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is an anchored regular expression with a cheap first look: the bytes
// that a match can begin and end with. Most sentences fail it, and the
// expression is not run.
type pattern struct {
	*regexp.Regexp
	first, last *byteSet // nil: any
	needs       string   // lower case; every match holds it
}

// byteSet holds bytes, letters in both cases.
type byteSet [256]bool

func newPattern(re *regexp.Regexp) pattern {
	p := pattern{Regexp: re}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return p
	}
	tree = tree.Simplify()
	if needs := literal(tree); len(needs) > 2 {
		p.needs = needs
	}
	if begins := edge(tree, false); begins.anchored && !begins.empty && begins.set != nil {
		p.first = begins.set
	}
	if ends := edge(tree, true); ends.anchored && !ends.empty && ends.set != nil {
		p.last = ends.set
	}
	return p
}

// mayMatch is the first look. text is not empty; lower is its lower case.
func (p *pattern) mayMatch(text, lower string) bool {
	return (p.first == nil || p.first[text[0]]) && (p.last == nil || p.last[text[len(text)-1]]) &&
		(p.needs == "" || strings.Contains(lower, p.needs))
}

// literal is the longest text that every match of an expression holds, in lower
// case; "" where there is none, or where it goes beyond ASCII.
func literal(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= 0x80 {
				return ""
			}
		}
		return strings.ToLower(string(re.Rune))
	case syntax.OpCapture, syntax.OpPlus:
		return literal(re.Sub[0])
	case syntax.OpConcat:
		longest := ""
		for _, part := range re.Sub {
			if text := literal(part); len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	}
	return ""
}

// border is what an expression can begin (or end) with.
type border struct {
	set      *byteSet // nil: any byte
	empty    bool     // it can match nothing, so what stands next to it counts too
	anchored bool     // it holds the end of the text
}

// edge computes the border of an expression at its beginning, or at its end.
func edge(re *syntax.Regexp, atEnd bool) border {
	switch re.Op {
	case syntax.OpLiteral:
		r := re.Rune[0]
		if atEnd {
			r = re.Rune[len(re.Rune)-1]
		}
		if r >= 0x80 {
			return border{}
		}
		set := &byteSet{}
		set.add(byte(r), re.Flags&syntax.FoldCase != 0)
		return border{set: set}
	case syntax.OpCharClass:
		return classEdge(re)
	case syntax.OpBeginText, syntax.OpBeginLine:
		return border{set: &byteSet{}, empty: true, anchored: !atEnd && re.Op == syntax.OpBeginText}
	case syntax.OpEndText, syntax.OpEndLine:
		return border{set: &byteSet{}, empty: true, anchored: atEnd && re.Op == syntax.OpEndText && re.Flags&syntax.WasDollar == 0 || atEnd && re.Op == syntax.OpEndText}
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return border{set: &byteSet{}, empty: true}
	case syntax.OpCapture, syntax.OpPlus:
		return edge(re.Sub[0], atEnd)
	case syntax.OpStar, syntax.OpQuest:
		inner := edge(re.Sub[0], atEnd)
		inner.empty, inner.anchored = true, false
		return inner
	case syntax.OpConcat:
		return concatEdge(re.Sub, atEnd)
	case syntax.OpAlternate:
		return alternateEdge(re.Sub, atEnd)
	}
	return border{empty: re.Op == syntax.OpRepeat && re.Min == 0}
}

func classEdge(re *syntax.Regexp) border {
	set := &byteSet{}
	for i := 0; i+1 < len(re.Rune); i += 2 {
		low, high := re.Rune[i], re.Rune[i+1]
		if high >= 0x80 {
			return border{}
		}
		for r := low; r <= high; r++ {
			set.add(byte(r), re.Flags&syntax.FoldCase != 0)
		}
	}
	return border{set: set}
}

func concatEdge(parts []*syntax.Regexp, atEnd bool) border {
	all := border{set: &byteSet{}, empty: true}
	for i := range parts {
		part := parts[i]
		if atEnd {
			part = parts[len(parts)-1-i]
		}
		b := edge(part, atEnd)
		all.join(b)
		all.anchored = all.anchored || b.anchored && i == 0
		if !b.empty {
			all.empty = false
			break
		}
	}
	return all
}

func alternateEdge(parts []*syntax.Regexp, atEnd bool) border {
	all := border{set: &byteSet{}, anchored: true}
	for _, part := range parts {
		b := edge(part, atEnd)
		all.join(b)
		all.empty = all.empty || b.empty
		all.anchored = all.anchored && b.anchored
	}
	return all
}

// join adds another border's bytes.
func (b *border) join(other border) {
	if b.set == nil || other.set == nil {
		b.set = nil
		return
	}
	for i, in := range other.set {
		b.set[i] = b.set[i] || in
	}
}

func (s *byteSet) add(c byte, fold bool) {
	s[c] = true
	if fold && (c|0x20) >= 'a' && (c|0x20) <= 'z' {
		s[c^0x20] = true
	}
}
