package diagnose

import (
	"net/http"
	"strings"
)

// readChallenge takes from WWW-Authenticate (RFC 6750 section 3) what the body
// leaves out: error, error_description and the scope that is missing. Only under
// the statuses that it is for: elsewhere the header is a formality.
func (d *diagnosis) readChallenge() {
	f, status := &d.finding, d.reading.status
	if !d.reading.http() || status != http.StatusUnauthorized && status != http.StatusForbidden || len(f.codes) > 0 && f.message != "" {
		return
	}
	challenge := d.reading.header("Www-Authenticate")
	if challenge == "" {
		return
	}
	f.addCode(challengeParam(challenge, "error"))
	if f.message == "" {
		f.addMessage(challengeParam(challenge, "error_description"))
	}
	if scope := challengeParam(challenge, "scope"); scope != "" && status == http.StatusForbidden {
		f.addFact("scope", stringOf(scope))
	}
}

// challengeParam is a parameter of a challenge: `name="value"` or `name=value`.
func challengeParam(challenge, name string) string {
	for rest := challenge; ; {
		_, after, found := strings.Cut(rest, name+"=")
		if !found {
			return ""
		}
		at := len(rest) - len(after) - len(name) - 1
		rest = after
		if at > 0 && isNameRune(rune(challenge[len(challenge)-len(after)-len(name)-2])) {
			continue // the end of a longer name
		}
		if inner, quoted := strings.CutPrefix(after, `"`); quoted {
			value, _, _ := strings.Cut(inner, `"`)
			return value
		}
		value, _, _ := strings.Cut(after, ",")
		return strings.TrimSpace(value)
	}
}
