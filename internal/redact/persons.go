package redact

import (
	"math/big"
	"regexp"
	"strings"
)

// personRules remove personal data that the caller did not send.
var personRules = []rule{
	{sign: '@', needs: hasAt, by: (*text).emails},
	{
		needs: hasEscape, words: []string{"%40"}, back: 128, reach: 128,
		re:   regexp.MustCompile(`[\w.+-]+%40[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}`),
		with: unlessSent(emailMark),
	},
	{ // ISO 13616
		needs: hasAccount,
		re:    regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b`),
		with:  iban,
	},
	{ // ISO/IEC 7812
		needs: hasLongNumber,
		re:    regexp.MustCompile(`\b\d(?:[ -]?\d){12,18}\b`),
		with:  card,
	},
	{ // E.164, however grouped
		needs: hasPlusNumber,
		re:    regexp.MustCompile(`\+\d(?:[ ().-]{0,2}\d){6,14}\b`),
		with:  phone,
	},
	{ // the North American way
		needs: hasUSNumber,
		re:    regexp.MustCompile(`(?:\(\d{3}\) ?|\b\d{3}-)\d{3}-\d{4}\b`),
		with:  phone,
	},
	{ // by its name
		needs: hasDigit, words: []string{"telephone", "phone", "mobile", "tel", "msisdn", "fax", "whatsapp", "sms"}, reach: 64, starts: true,
		re:   regexp.MustCompile(`^((?i:(?:tele)?phone|mobile|tel|msisdn|fax|whatsapp|sms))((?i:[ _-]?(?:number|no\.?|num))?(?: to)?["']?\s*[:=#]?\s*["']?)(\d(?:[ ().-]{0,2}\d){6,14})\b`),
		with: namedPhone,
	},
	{ // US social security numbers, by their name
		needs: hasNineDigits, words: []string{"ssn", "social security"},
		re:   regexp.MustCompile(`\b\d{3}-\d{2}-\d{4}\b`),
		with: unlessSent(idMark),
	},
}

// emails replaces addresses (RFC 5321, and the letters of RFC 6531).
func (t *text) emails(places []int) {
	t.splice(places, func(s string, at int) (from, to int, with string) {
		from, to = at, at+1
		for from > 0 && (isWord(s[from-1]) || strings.IndexByte(".%+-", s[from-1]) >= 0) {
			from--
		}
		for to < len(s) && (isWord(s[to]) && s[to] != '_' || s[to] == '.' || s[to] == '-') {
			to++
		}
		for to > at && (s[to-1] == '.' || s[to-1] == '-') {
			to--
		}
		dot := strings.LastIndexByte(s[at:to], '.')
		if from == at || dot < 2 || s[at+1] == '.' || !isLetters(s[at+dot+1:to]) || t.keep.Has(s[from:to]) {
			return 0, 0, ""
		}
		return from, to, emailMark
	})
}

// isLetters reports a top-level domain.
func isLetters(s string) bool {
	for i := range len(s) {
		if !isLower(s[i]) && !isUpper(s[i]) && s[i] < 0x80 {
			return false
		}
	}
	return len(s) >= 2
}

func phone(m match) string {
	if m.keep.hasDigits(m.group(0)) || strings.HasSuffix(m.before(1), ".") {
		return m.group(0)
	}
	return phoneMark
}

func namedPhone(m match) string {
	if m.keep.hasDigits(m.group(3)) {
		return m.group(0)
	}
	return m.group(1) + m.group(2) + phoneMark
}

func card(m match) string {
	digits := digitsOf(m.group(0))
	if !isCard(digits) || m.keep.hasDigits(digits) || strings.HasSuffix(m.before(1), ".") || strings.HasPrefix(m.after(2), ".") && isDigit(m.after(2)[len(m.after(2))-1]) {
		return m.group(0)
	}
	return cardMark
}

// isCard reports a number of a card brand, by beginning, length and check digit.
func isCard(digits string) bool {
	n := len(digits)
	two, four := digits[:2], digits[:4]
	switch {
	case digits[0] == '4':
		if n != 13 && n != 16 && n != 19 {
			return false
		}
	case two >= "51" && two <= "55", four >= "2221" && four <= "2720":
		if n != 16 {
			return false
		}
	case two == "34" || two == "37":
		if n != 15 {
			return false
		}
	case two == "30" || two == "36" || two == "38" || two == "39":
		if n != 14 && n != 16 {
			return false
		}
	case two == "35", two == "60", two == "62", two == "64", two == "65", two == "50", two == "56", two == "58", two == "63", two == "67":
		if n < 16 {
			return false
		}
	default:
		return false
	}
	return luhn(digits)
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func iban(m match) string {
	compact := strings.ReplaceAll(m.group(0), " ", "")
	if len(compact) < 15 || len(compact) > 34 || !ibanCheck(compact) || m.keep.Has(m.group(0)) || m.keep.Has(compact) {
		return m.group(0)
	}
	return idMark
}

// ibanCheck computes ISO 7064 MOD 97-10.
func ibanCheck(s string) bool {
	var digits strings.Builder
	for _, r := range s[4:] + s[:4] {
		if r >= 'A' {
			digits.WriteString(string([]rune{'1' + (r-'A')/10, '0' + (r-'A')%10}))
			continue
		}
		digits.WriteRune(r)
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}
