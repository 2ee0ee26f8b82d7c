package redact

import (
	"regexp"
	"strings"
)

// secretRules remove secrets that show by their shape or by a header's name.
// They go even where the caller sent them. The last one is that of URLs.
var secretRules = []rule{
	{words: []string{"-----begin ", "-----end "}, by: (*text).keys},
	{words: connectionNames(), by: (*text).connections},
	{ // RFC 6265, each pair
		needs: hasEquals, words: []string{"cookie"}, back: 8, reach: 4 << 10,
		re:   regexp.MustCompile(`(?i)\b(set-cookie2?|cookie)(["']?\s*[:=]\s*\[?\s*["']?)[\w.!#$%&'*+^|~-]+=[^;,\s"]*(?:;\s*[\w-]+(?:=[^;,\s"]*)?)*`),
		with: cookies,
	},
	{ // an authentication scheme with its credential, outside a header too
		words: []string{"bearer ", "basic ", "token ", "negotiate ", "ntlm ", "apikey "}, reach: 64, starts: true,
		re:   regexp.MustCompile(`^(\w+)\s+([A-Za-z0-9._~+/=-]{6,})`),
		with: schemeCredential,
	},
	{ // a name, a value, nothing between: password "x", API key abc123
		words: adjacentNames(), reach: 256, starts: true,
		re:   regexp.MustCompile("^([A-Za-z]+(?:[ _-]?(?:[Kk]ey|KEY|[Tt]oken|TOKEN))?)(\\s+(?:is |was |value |of |as )?)(\\\\+\"[^\"\\\\]+\\\\+\"|\"[^\"]+\"|'[^']+'|`[^`]+`|[^\\s\"'`\\\\\\[,;:=]+)"),
		with: adjacent,
	},
	{ // masked echoes show the ends of a key
		needs: hasMask,
		re:    regexp.MustCompile(`[A-Za-z0-9][\w-]*\*{3,}[\w-]*|\*{4,}[\w-]*\w{2}`),
		with:  always(secretMark),
	},
	{
		words: []string{"..."}, back: 64, reach: 64,
		re:   regexp.MustCompile(`\b(?:sk|pk|rk|key|tok|api|ghp|xoxb)[-_][\w-]*\.{3,}[\w-]*`),
		with: always(secretMark),
	},
	{ // hashes of passwords: crypt(3) and its kin
		words: []string{"$2a$", "$2b$", "$2y$", "$argon2", "$scrypt$", "$pbkdf2", "$5$", "$6$", "$1$", "$y$", "$apr1$", "pbkdf2_sha", "{ssha"}, reach: 256, starts: true,
		re:   regexp.MustCompile(`^(?:\$[a-z0-9-]{1,16}\$[\w./$=,+-]{16,}|pbkdf2_sha\d+\$\d+\$[\w+/=$]{16,}|(?i:\{ssha\d*\})[\w+/=]{16,})`),
		with: always(secretMark),
	},
	{ // Telegram: bot id and key
		needs: hasColon | hasDigit | hasLongToken,
		re:    regexp.MustCompile(`\b(?:bot)?\d{8,10}:[A-Za-z0-9_-]{34,36}\b`),
		with:  always(secretMark),
	},
	{ // Discord, and Airtable's personal tokens
		needs: hasDigit | hasLongToken,
		re:    regexp.MustCompile(`\b(?:[MNO][\w-]{22,28}\.[\w-]{6,7}\.[\w-]{27,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{40,})`),
		with:  always(secretMark),
	},
	{words: []string{"://"}, by: (*text).urls},
}

// adjacentNames are the names, with the blank behind them.
func adjacentNames() []string {
	names := []string{"password", "passwd", "pwd", "passphrase", "passcode", "secret", "token", "credential", "credentials"}
	names = append(names, named([]string{"api", "access", "secret"}, "key")...)
	names = append(names, named([]string{"access", "auth", "bearer", "refresh", "session", "api"}, "token")...)
	for i := range names {
		names[i] += " "
	}
	return names
}

func cookies(m match) string {
	for pair := range strings.SplitSeq(m.group(0)[len(m.group(1))+len(m.group(2)):], ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if !cookieAttributes[strings.ToLower(name)] {
			m.keep.note(value, secretMark)
		}
	}
	return m.group(1) + m.group(2) + secretMark
}

var cookieAttributes = setOf(`path domain expires max-age samesite secure httponly priority partitioned version comment`)

func schemeCredential(m match) string {
	value := m.group(2)
	shaped := secretShape(value) && !isSnake(strings.TrimRight(value, ".=")) || len(value) >= 32
	if strings.EqualFold(m.group(1), "token") {
		// "token" is also a word of parsers: only what is long and mixed is one.
		shaped = shaped && len(value) >= 12 && looksRandom(value)
	}
	if !shaped {
		return m.group(0)
	}
	return m.group(1) + " " + secretMark
}

// adjacent judges a value right behind a name. Quotes make a value of it behind
// a password; elsewhere (`secret "db-creds"`, `token "}"`) it must look like one.
func adjacent(m match) string {
	value := strings.Trim(m.group(3), "\\\"'`")
	quoted := value != m.group(3)
	label := strings.ToLower(m.group(1))
	looks := secretShape(strings.TrimRight(value, ".)")) && len(value) >= 6 && looksRandom(value)
	if quoted && strings.HasPrefix(label, "pass") || quoted && label == "pwd" {
		looks = !harmlessQuoted(value)
	}
	if strings.HasPrefix(value, "[") || !looks || (label == "token" && tokenProse(m)) {
		return m.group(0)
	}
	return m.group(1) + m.group(2) + secretMark
}

// tokenProse reports the token of a parser or a count.
func tokenProse(m match) bool {
	words := strings.Fields(strings.ToLower(m.before(24)))
	return len(words) > 0 && tokenCompanions[words[len(words)-1]]
}
