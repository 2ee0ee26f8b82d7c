package lint

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"toolgate.dev/toolgate/internal/redact"
	"toolgate.dev/toolgate/server/catalog"
)

// hide keeps a place from being shown.
func (c *checker) hide(p Place) { c.masks[p.Line] = append(c.masks[p.Line], p) }

// literalSecrets are the secrets that stand where their name belongs, by line and
// column.
func (c *checker) literalSecrets() map[[2]int]Place {
	found := map[[2]int]Place{}
	add := func(secret spot) {
		from := secret.at("from")
		if text := from.text(); text != "" && !catalog.NamesSecret(text) {
			place := c.doc.content(from)
			c.hide(place)
			found[[2]int{place.Line, place.Column}] = place
		}
	}
	for at := range c.requests {
		for _, of := range []string{"secret_headers", "secret_query"} {
			for secret := range at.at(of).members {
				add(secret)
			}
		}
		add(at.at("http", "proxy", "password"))
	}
	for host := range c.doc.root.at("http").members {
		add(host.at("proxy", "password"))
	}
	return found
}

// requests yields what says how requests look: upstreams and the HTTP part of
// tools.
func (c *checker) requests(yield func(spot) bool) {
	for upstream := range c.doc.root.at("upstreams").members {
		if !yield(upstream) {
			return
		}
	}
	for tool := range c.doc.root.at("tools").items {
		if http := tool.at("http"); http.exists() && !yield(http) {
			return
		}
	}
}

// secrets finds what must not stand in a file: by the name that it stands under,
// and by its looks wherever it stands.
func (c *checker) secrets() {
	for at := range c.requests {
		for part, into := range map[string]string{"headers": "secret_headers", "query": "secret_query"} {
			for member := range at.at(part).members {
				if redact.SecretName(member.key.Value) && meansSomething(member.text()) {
					c.leak(member, member.key.Value+" holds a secret as it stands", secretLine(into, member.key.Value, member.text()))
				}
			}
		}
		c.urlSecrets(at.at("url"))
		c.inClear(at, at.at("url"))
	}
	for _, t := range c.tools {
		c.proposed(t)
		if base := t.at.at("http", "url"); strings.HasPrefix(base.text(), "/") {
			c.inClear(t.at.at("http"), c.doc.root.at("upstreams", t.Written.GetUpstream(), "url"))
		}
	}
	c.looks(c.doc.root)
	c.comments()
}

func (c *checker) leak(at spot, message, fix string) {
	place := c.doc.content(at)
	c.hide(place)
	c.add(secretInFile, place, message, fix)
}

// harmless are values that are no secret whatever they stand under.
var harmless = []string{"true", "false", "enabled", "disabled", "none", "null", "fetch", "required", "optional", "0", "1"}

func meansSomething(value string) bool {
	return value != "" && !slices.Contains(harmless, strings.ToLower(value))
}

// secretLine is how the secret is named instead.
func secretLine(field, name, value string) string {
	prefix := ""
	if scheme, _, found := strings.Cut(value, " "); found && slices.Contains([]string{"bearer", "basic", "token", "apikey"}, strings.ToLower(scheme)) {
		prefix = fmt.Sprintf(", prefix: %q", scheme+" ")
	}
	return fmt.Sprintf("%s: {%s: {from: \"env:%s\"%s}}", field, name, environmentName(name), prefix)
}

var notInNames = regexp.MustCompile(`[^A-Z0-9]+`)

func environmentName(name string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToUpper(name), "_"), "_")
}

// urlSecrets finds secrets among a URL's fixed parameters.
func (c *checker) urlSecrets(at spot) {
	_, query, _ := strings.Cut(at.text(), "?")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if redact.SecretName(name) && meansSomething(value) && !strings.Contains(value, "{") {
			c.leak(at, fmt.Sprintf("the parameter %s of the URL holds a secret as it stands", name), secretLine("secret_query", name, value))
		}
	}
}

// looks finds what looks like a secret, wherever it stands.
func (c *checker) looks(at spot) {
	for member := range at.members {
		c.looks(member)
	}
	for item := range at.items {
		c.looks(item)
	}
	if value, isText := at.word(); isText && looksSecret(value) && len(c.masks[at.value.Line]) == 0 {
		c.leak(at, "this looks like a secret", "name it in secret_headers or secret_query, {from: \"env:NAME\"}, and take the one that stood here out of use")
	}
}

// looksSecret reports text that holds a secret by its looks. Of prose only what no
// word looks like counts: "a bank token `account`" is none.
func looksSecret(text string) bool {
	start, end, found := secretIn(text)
	return found && (strings.ContainsAny(text[start:end], "0123456789:") || !strings.Contains(text, " "))
}

// secretIn is where in a text a secret stands, from the first to the last of
// several.
func secretIn(text string) (start, end int, found bool) {
	cleaned := redact.SecretText(text)
	if cleaned == text {
		return 0, 0, false
	}
	for start < min(len(text), len(cleaned)) && text[start] == cleaned[start] {
		start++
	}
	same := 0
	for same < min(len(text), len(cleaned))-start && text[len(text)-1-same] == cleaned[len(cleaned)-1-same] {
		same++
	}
	return start, len(text) - same, true
}

// proposed finds values that a model is told to send under the name of a secret.
func (c *checker) proposed(t *tool) {
	for p := range t.schema.properties {
		if !isSecretArgument(p.name) {
			continue
		}
		for _, keyword := range []string{"default", "const", "example", "examples"} {
			c.proposes(p.at.at(keyword))
		}
	}
	for fallback := range t.at.at("fallbacks").items {
		for argument := range fallback.at("arguments").members {
			if isSecretArgument(argument.key.Value) {
				c.proposes(argument)
			}
		}
	}
}

// isSecretArgument reads the end of a name alone: secret_scanning is none.
func isSecretArgument(name string) bool {
	words := wordsOf(name)
	return redact.SecretName(strings.Join(words[max(0, len(words)-2):], "_")) && redact.SecretName(strings.Join(words, "_")) &&
		(redact.SecretName(last(words)) || last(words) == "key" || last(words) == "token")
}

// minSecret is how short a secret may be, in bytes.
const minSecret = 6

// stands are values that only show where a secret would stand.
var stands = regexp.MustCompile(`(?i)\*\*|…|\.\.\.|xxx|<.*>|^\W*(password|secret|token|your|my|example|sample|test|dummy|placeholder|changeme)|example$|://`)

func (c *checker) proposes(at spot) {
	for item := range at.items {
		c.proposes(item)
	}
	if value, isText := at.word(); isText && len(value) >= minSecret && meansSomething(value) && !stands.MatchString(value) {
		c.leak(at, "a value stands here under the name of a secret", "leave it out; its form belongs into the description")
	}
}

// comments finds secrets in comments.
func (c *checker) comments() {
	for i, line := range c.doc.lines {
		start := commentStart(line)
		if start < 0 || !looksSecret(line[start:]) {
			continue
		}
		place := Place{
			Line: i + 1, Column: utf8.RuneCountInString(line[:start]) + 1, EndColumn: utf8.RuneCountInString(line) + 1,
		}
		if len(c.masks[place.Line]) > 0 {
			continue // what looks like a comment stands in quotes
		}
		c.hide(place)
		c.add(secretInFile, place, "this comment looks like it holds a secret", "take the comment out, and the secret out of use")
	}
}

// commentStart is where a line's comment begins; -1 where it has none. A # in
// quotes is taken for one, too.
func commentStart(line string) int {
	if strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
		return strings.Index(line, "#")
	}
	if at := strings.Index(line, " #"); at >= 0 {
		return at + 1
	}
	return -1
}

// inClear finds secrets that leave unencrypted for another network.
func (c *checker) inClear(at, base spot) {
	parsed, err := url.Parse(base.text())
	if err != nil || parsed.Scheme != "http" || isNear(parsed.Hostname()) {
		return
	}
	for _, of := range []string{"secret_headers", "secret_query"} {
		for secret := range at.at(of).members {
			c.add(secretInClear, c.doc.content(base), fmt.Sprintf("%s goes to %s unencrypted", secret.key.Value, parsed.Hostname()),
				"url: https://"+strings.TrimPrefix(base.text(), "http://"))
			return
		}
	}
}

// near are the domains that networks give to themselves.
var near = []string{".localhost", ".local", ".internal", ".svc", ".lan", ".home.arpa"}

// isNear reports a host of this machine or of its own network: a private
// address, a name without a domain, a name of a cluster.
func isNear(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast()
	}
	return !strings.Contains(host, ".") || slices.ContainsFunc(near, func(domain string) bool { return strings.HasSuffix(host, domain) })
}
