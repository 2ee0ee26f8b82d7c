package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// minSecret is the length in bytes from which an exact value is removed.
const minSecret = 4

// minEncoded is the length in bytes from which encoded forms of a value are
// looked for: shorter ones turn up by chance.
const minEncoded = 6

// needle is one form of a value that must not leave.
type needle struct {
	form string
	// inside marks a form that may be a part of a longer encoded text, which goes
	// whole: what surrounds the value there is its own context (user:password).
	inside bool
}

func needles(secrets []string) []needle {
	seen := map[string]bool{}
	var all []needle
	add := func(inside bool, forms ...string) {
		for _, form := range forms {
			if len(form) >= minSecret && !seen[form] {
				seen[form] = true
				all = append(all, needle{form, inside})
			}
		}
	}
	for _, secret := range secrets {
		for _, value := range partsOf(secret) {
			add(false, plainForms(value)...)
			if len(value) >= minEncoded {
				add(true, encodedForms(value)...)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b needle) int { return len(b.form) - len(a.form) })
	return all
}

// partsOf returns a value and what is secret in it on its own: the credential
// behind an authentication scheme, user and password behind Basic, each line of
// a key.
func partsOf(secret string) []string {
	secret = strings.TrimSpace(secret)
	parts := []string{secret}
	if scheme, credential, ok := strings.Cut(secret, " "); ok && isScheme(scheme) {
		credential = strings.TrimSpace(credential)
		parts = append(parts, credential)
		if decoded, err := base64.StdEncoding.DecodeString(credential); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(decoded), ":")
			parts = append(parts, string(decoded), password)
		}
	}
	if strings.Contains(secret, "\n") {
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= 16 && !strings.HasPrefix(line, "-----") {
				parts = append(parts, line)
			}
		}
	}
	return parts
}

func isScheme(word string) bool {
	switch strings.ToLower(strings.TrimSuffix(word, ":")) {
	case "bearer", "basic", "token", "digest", "apikey", "api-key", "key", "bot", "oauth", "negotiate", "ntlm", "hawk",
		"aws4-hmac-sha256", "genie-key", "discogs", "sso-key", "klaviyo-api-key", "snowflake", "splunk":
		return true
	}
	return false
}

func plainForms(value string) []string {
	if isUnreserved(value) { // no encoder changes it
		return []string{value}
	}
	query, path := url.QueryEscape(value), url.PathEscape(value)
	quoted := inQuotes(quoteJSON(value))
	forms := []string{
		value, query, path, lowerHex(query), lowerHex(path), url.QueryEscape(query),
		quoted, strings.ReplaceAll(quoted, "/", `\/`), html.EscapeString(value),
	}
	if htmlSafe, err := json.Marshal(value); err == nil {
		forms = append(forms, inQuotes(string(htmlSafe)))
	}
	if ascii := inQuotes(strconv.QuoteToASCII(value)); ascii != quoted {
		forms = append(forms, ascii)
	}
	return forms
}

// isUnreserved reports a value of characters that stand for themselves in URLs
// (RFC 3986 section 2.3), JSON and HTML.
func isUnreserved(value string) bool {
	for i := range len(value) {
		if !isWord(value[i]) && strings.IndexByte("-._~", value[i]) < 0 || value[i] >= 0x80 {
			return false
		}
	}
	return true
}

func inQuotes(quoted string) string { return quoted[1 : len(quoted)-1] }

// lowerHex writes percent escapes with lower-case digits, as many encoders do.
func lowerHex(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
		}
	}
	return string(b)
}

// encodedForms are the characters of base64 and hex texts that the value alone
// decides, at each of the three places where it may stand in a group of three
// bytes.
func encodedForms(value string) []string {
	forms := []string{hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value)))}
	for offset := range 3 {
		padded := append(make([]byte, offset), value...)
		first := (offset*8 + 5) / 6
		last := len(padded) * 8 / 6
		forms = append(forms,
			base64.RawStdEncoding.EncodeToString(padded)[first:last],
			base64.RawURLEncoding.EncodeToString(padded)[first:last])
	}
	return forms
}

func isBase64(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '+' || c == '/' || c == '-' || c == '_'
}
