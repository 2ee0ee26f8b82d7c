package redact

// feature is something in a text that a rule can't do without. All are found in
// one pass, so that most rules never look at most texts.
type feature uint32

const (
	hasAt          feature = 1 << iota
	hasIdentity            // an at sign and five hexadecimal digits
	hasDigit               // any
	hasUpper               // any
	hasColon               // any
	hasEquals              // any
	hasBackslash           // any
	hasBracket             // an opening one, round or square
	hasMask                // three stars in a row
	hasEscape              // a percent sign and two hexadecimal digits
	hasInnerDot            // between two word characters, a letter behind it
	hasQuad                // four numbers with dots between
	hasPort                // a colon between a word and a digit
	hasDoubleColon         // ::
	hasManyColons          // four or more in one token
	hasPath                // a slash at the start of a token
	hasVersion             // a slash between a word and a digit or v
	hasLongNumber          // 13 digits, single blanks and hyphens aside
	hasPlusNumber          // a plus sign in front of a digit
	hasUSNumber            // three digits, a hyphen, four digits
	hasNineDigits          // a social security number's hyphens
	hasAccount             // two capitals and two digits, as an IBAN begins
	hasUUID                // its four hyphens
	hasTrace               // the hyphens of a trace context
	hasLongToken           // 40 bytes without a blank
	hasInnerDash           // between two word characters
	hasMixedWord           // a digit behind a letter
)

var byteFeatures = func() (table [256]feature) {
	for c, f := range map[byte]feature{
		'@': hasAt, ':': hasColon, '=': hasEquals, '\\': hasBackslash, '(': hasBracket, '[': hasBracket,
	} {
		table[c] = f
	}
	for c := '0'; c <= '9'; c++ {
		table[c] = hasDigit
	}
	for c := 'A'; c <= 'Z'; c++ {
		table[c] = hasUpper
	}
	return table
}()

// featuresOf reads a text once.
func featuresOf(s string) feature {
	r := reader{s: s}
	for i := range len(s) {
		c := s[i]
		r.has |= byteFeatures[c]
		switch {
		case c == ' ':
			r.endToken(i)
		case isDigit(c):
			r.digit(i)
		case !isWord(c):
			r.punctuation(i, c)
		case isUpper(c) && i > 0 && isUpper(s[i-1]) && isDigit(r.at(i+1)) && isDigit(r.at(i+2)):
			r.has |= hasAccount
		}
	}
	r.endToken(len(s))
	return r.has
}

// reader is the state of that pass.
type reader struct {
	s      string
	has    feature
	token  int // where the token began
	colons int // in the token
	digits int // in a row, single blanks and hyphens aside
	last   int // place of the last digit
}

func (r *reader) at(i int) byte {
	if i < 0 || i >= len(r.s) {
		return 0
	}
	return r.s[i]
}

func (r *reader) endToken(i int) {
	if i-r.token >= 40 {
		r.has |= hasLongToken
	}
	if r.colons >= 4 {
		r.has |= hasManyColons
	}
	r.token, r.colons = i+1, 0
}

func (r *reader) digit(i int) {
	if i-r.last > 2 || i-r.last == 2 && r.s[i-1] != ' ' && r.s[i-1] != '-' {
		r.digits = 0
	}
	r.digits++
	r.last = i
	if r.digits >= 13 {
		r.has |= hasLongNumber
	}
	if before := r.at(i - 1); isLower(before) || isUpper(before) {
		r.has |= hasMixedWord
	}
}

func (r *reader) punctuation(i int, c byte) {
	before, after := r.at(i-1), r.at(i+1)
	joined := isWord(before) && isWord(after)
	switch c {
	case '.':
		if joined && !isDigit(after) {
			r.has |= hasInnerDot
		}
		if isDigit(before) && isDigit(after) && isQuad(r.s[max(0, i-3):]) {
			r.has |= hasQuad
		}
	case ':':
		r.colon(before, after)
	case '/':
		if isWord(before) && (isDigit(after) || after == 'v' || after == 'V') {
			r.has |= hasVersion
		} else if !isWord(before) && before != '/' && after != '/' {
			r.has |= hasPath
		}
	case '@':
		if isHex(after) && isHex(r.at(i+2)) && isHex(r.at(i+3)) && isHex(r.at(i+4)) && isHex(r.at(i+5)) {
			r.has |= hasIdentity
		}
	case '-':
		r.dash(i, joined)
	case '+':
		if isDigit(after) {
			r.has |= hasPlusNumber
		}
	case '*':
		if before == '*' && after == '*' {
			r.has |= hasMask
		}
	case '%':
		if isHex(after) && isHex(r.at(i+2)) {
			r.has |= hasEscape
		}
	case '\n', '\t':
		r.endToken(i)
	}
}

func (r *reader) colon(before, after byte) {
	r.colons++
	if isWord(before) && isDigit(after) {
		r.has |= hasPort
	}
	if after == ':' {
		r.has |= hasDoubleColon
	}
}

func (r *reader) dash(i int, joined bool) {
	if joined {
		r.has |= hasInnerDash
	}
	switch {
	case r.at(i+5) == '-' && r.at(i+10) == '-' && r.at(i+15) == '-':
		r.has |= hasUUID
	case r.at(i+33) == '-', r.at(i-1) == '1' && r.at(i+9) == '-':
		r.has |= hasTrace
	case r.at(i+3) == '-' && isDigit(r.at(i+1)) && isDigit(r.at(i+4)):
		r.has |= hasNineDigits
	}
	if isDigit(r.at(i-1)) && isDigit(r.at(i-3)) && isDigit(r.at(i+1)) && isDigit(r.at(i+4)) {
		r.has |= hasUSNumber
	}
}

// isQuad reports four numbers with dots between at the beginning of s, a few
// bytes in front aside.
func isQuad(s string) bool {
	dots := 0
	for i := 0; i < len(s) && i < 19; i++ {
		switch {
		case s[i] == '.':
			dots++
		case isDigit(s[i]):
		case dots > 0:
			return dots >= 3
		}
	}
	return dots >= 3
}

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
