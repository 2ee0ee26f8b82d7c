package arguments

import (
	"bytes"
	"unicode/utf8"
)

// walker walks canonical bytes along a rule. It answers "certainly valid" or
// "don't know"; only the judge calls anything wrong.
type walker struct {
	b    []byte
	left int // values that may still be visited: unions visit some again

	anyStep bool // multipleOf is somebody else's
}

// certain reports whether the canonical text certainly is what the rule accepts.
func certain(r *rule, canonical []byte) bool {
	w := walker{b: canonical, left: 16*len(canonical) + 256}
	return w.value(r, 0, 0) == len(canonical)
}

// unknown is what the steps return in place of the end of a value.
const unknown = -1

// longestChain is how many rules may apply to one value by way of another. A
// schema that leads back to itself without going deeper ends here.
const longestChain = 32

// value checks the value that starts there and returns where it ends. chain
// counts the rules on the way to this one that apply to the same value.
func (w *walker) value(r *rule, at, chain int) int {
	if r == nil {
		return w.skip(at)
	}
	if w.left--; w.left < 0 || r.unknown || chain > longestChain {
		return unknown
	}
	end := w.own(r, at)
	for _, also := range r.also {
		if end < 0 || w.value(also, at, chain+1) < 0 {
			return unknown
		}
	}
	for _, branches := range r.either {
		if end < 0 || !w.any(branches, at, chain+1) {
			return unknown
		}
	}
	return end
}

func (w *walker) any(branches []*rule, at, chain int) bool {
	for _, b := range branches {
		if w.value(b, at, chain) >= 0 {
			return true
		}
	}
	return false
}

// own checks what the rule itself says.
func (w *walker) own(r *rule, at int) int {
	end := unknown
	switch b := w.b[at]; {
	case b == '{' && r.accepts&isObject != 0:
		end = w.object(r, at)
	case b == '[' && r.accepts&isArray != 0:
		end = w.array(r, at)
	case b == '"' && r.accepts&isString != 0:
		end = w.str(r, at)
	case (b == 't' || b == 'f') && r.accepts&isBoolean != 0, b == 'n' && r.accepts&isNull != 0:
		end = w.skip(at)
	case b == '-' || isDigit(b):
		end = w.number(r, at)
	}
	if end < 0 || (r.values != nil && !among(r.values, w.b[at:end])) {
		return unknown
	}
	return end
}

func among(values [][]byte, v []byte) bool {
	for _, other := range values {
		if bytes.Equal(other, v) {
			return true
		}
	}
	return false
}

// object follows the members and the properties together: both are in the order
// of their canonical names.
func (w *walker) object(r *rule, at int) int {
	count, next := 0, 0
	for at++; w.b[at] != '}'; count++ {
		if w.b[at] == ',' {
			at++
		}
		nameEnd := w.skip(at)
		name := w.b[at:nameEnd]
		order := 1
		for ; next < len(r.properties); next++ {
			if order = bytes.Compare(r.properties[next].name, name); order >= 0 {
				break
			}
			if r.properties[next].required {
				return unknown
			}
		}
		accepted := r.additional
		if next < len(r.properties) && order == 0 {
			accepted = r.properties[next].rule
			next++
		}
		if at = w.value(accepted, nameEnd+1, 0); at < 0 {
			return unknown
		}
	}
	for ; next < len(r.properties); next++ {
		if r.properties[next].required {
			return unknown
		}
	}
	if count < r.minProps || (r.maxProps >= 0 && count > r.maxProps) {
		return unknown
	}
	return at + 1
}

func (w *walker) array(r *rule, at int) int {
	count := 0
	var seen unequal
	for at++; w.b[at] != ']'; count++ {
		if w.b[at] == ',' {
			at++
		}
		accepted, start := r.items, at
		if count < len(r.prefix) {
			accepted = r.prefix[count]
		}
		if at = w.value(accepted, at, 0); at < 0 || (r.unique && !seen.add(w.b[start:at])) {
			return unknown
		}
	}
	if count < r.minItems || (r.maxItems >= 0 && count > r.maxItems) {
		return unknown
	}
	return at + 1
}

// unequal holds items of which no two are equal. Where there are many, the judge
// finds out cheaper.
type unequal struct {
	items [24][]byte
	count int
}

func (u *unequal) add(item []byte) bool {
	if u.count == len(u.items) || among(u.items[:u.count], item) {
		return false
	}
	u.items[u.count] = item
	u.count++
	return true
}

func (w *walker) str(r *rule, at int) int {
	end := w.skip(at)
	text := w.b[at+1 : end-1]
	if r.minLen == 0 && r.maxLen < 0 && r.pattern == nil && r.otherPattern == nil && r.format == nil {
		return end
	}
	if bytes.IndexByte(text, '\\') >= 0 {
		text = unescaped(text)
	}
	if r.minLen > 0 || r.maxLen >= 0 {
		length := utf8.RuneCount(text)
		if length < r.minLen || (r.maxLen >= 0 && length > r.maxLen) {
			return unknown
		}
	}
	if r.pattern != nil && !r.pattern.Match(text) {
		return unknown
	}
	if r.otherPattern != nil && !r.otherPattern.MatchString(string(text)) {
		return unknown
	}
	if r.format != nil && !r.format(text) {
		return unknown
	}
	return end
}

// unescaped undoes the escapes of the canonical form.
func unescaped(text []byte) []byte {
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '\\':
			plain = append(plain, text[i])
		case text[i+1] == 'u': // \u00xx
			high, _ := hexValue(text[i+4])
			low, _ := hexValue(text[i+5])
			plain = append(plain, byte(high<<4|low))
			i += 5
		default:
			plain = append(plain, text[i+1])
			i++
		}
	}
	return plain
}

func (w *walker) number(r *rule, at int) int {
	end := at + 1
	fraction := false
	for end < len(w.b) {
		switch b := w.b[end]; {
		case isDigit(b) || b == 'e':
		case b == '.':
			fraction = true
		case b == '-': // of an exponent: digits without a trailing zero below one
			fraction = true
		default:
			return w.numberEnd(r, at, end, fraction)
		}
		end++
	}
	return w.numberEnd(r, at, end, fraction)
}

func (w *walker) numberEnd(r *rule, at, end int, fraction bool) int {
	kind := isInteger
	if fraction {
		kind = isFraction
	}
	text := w.b[at:end]
	if !r.takes(kind, text) || r.step != 0 && !w.anyStep && !multiple(text, r.step) {
		return unknown
	}
	return end
}

// multiple reports whether a number is a multiple of step, as far as int64 goes.
func multiple(text []byte, step int64) bool {
	const longest = 18
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	n := number(text)
	return len(text) <= longest && n >= 0 && int64(n)%step == 0
}

// beyond reports whether a number lies on the wrong side of the bound; side is
// -1 for what is below.
func (b *bound) beyond(text []byte, side int) bool {
	order := compareNumbers(text, b.canonical) * side
	return order > 0 || (order == 0 && b.exclusive)
}

// skip returns where the value that starts there ends.
func (w *walker) skip(at int) int {
	switch w.b[at] {
	case '"':
		return w.skipString(at)
	case '{', '[':
		return w.skipContainer(at)
	}
	for at < len(w.b) && w.b[at] != ',' && w.b[at] != '}' && w.b[at] != ']' {
		at++
	}
	return at
}

func (w *walker) skipString(at int) int {
	for at++; ; at++ {
		switch w.b[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
}

func (w *walker) skipContainer(at int) int {
	depth := 0
	for {
		switch w.b[at] {
		case '"':
			at = w.skipString(at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
}
