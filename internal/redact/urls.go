package redact

import (
	"net/netip"
	"strings"
)

// urls rewrites each URL.
func (t *text) urls(places []int) {
	t.splice(places, func(s string, at int) (from, to int, with string) {
		from, to = urlAt(s, at)
		t.keep.noteURL(s[min(at+len("://"), to):to])
		return from, to, rewriteURL(s[from:to], t.keep)
	})
}

// urlSecrets are names of query parameters that hold a secret in a URL, though
// not elsewhere.
var urlSecrets = setOf(`sig signature code key k auth hash hmac`)

// noteURL remembers the credentials of what follows a scheme.
func (k Keep) noteURL(rest string) {
	authority, query := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, query = rest[:end], rest[end:]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 && k.found != nil {
		_, password, _ := strings.Cut(authority[:at], ":")
		k.found.add(password)
	}
	if strings.IndexByte(query, '=') >= 0 {
		k.notePairs(query, "?&#;", urlSecrets)
	}
}

// maxScheme bounds a scheme, in bytes.
const maxScheme = 32

// urlAt returns the URL around "://"; an empty range where no scheme is in front.
func urlAt(s string, at int) (from, to int) {
	from = at
	for from > 0 && at-from < maxScheme && (isWord(s[from-1]) && s[from-1] < 0x80 && s[from-1] != '_' || strings.IndexByte("+.-", s[from-1]) >= 0) {
		from--
	}
	for from < at && !isLower(s[from]) && !isUpper(s[from]) {
		from++
	}
	if at-from < 2 {
		return at, at
	}
	if strings.HasSuffix(s[:from], "jdbc:") {
		from -= len("jdbc:")
	}
	to = at + len("://")
	for to < len(s) && s[to] > ' ' && strings.IndexByte("\"'<>\\^`{|}", s[to]) < 0 {
		to++
	}
	return from, to
}

// linkSchemes are those of links that a person can open.
var linkSchemes = setOf(`http https ws wss`)

// storeSchemes name objects, not hosts.
var storeSchemes = setOf(`s3 s3a gs wasbs abfss az urn spotify git docker oci app`)

// rewriteURL keeps a link that a person may need and removes its user-info,
// query and opaque parts; a URL of an internal host goes whole, and so does one
// that says how to connect to a store.
func rewriteURL(url string, keep Keep) string {
	raw, tail := trimURL(url)
	scheme, rest, _ := strings.Cut(raw, "://")
	scheme = strings.ToLower(scheme)
	switch {
	case rest == "":
		return url
	case linkSchemes[scheme]:
		return rewriteLink(raw, scheme, keep) + tail
	case scheme == "file":
		return pathMark + tail
	case storeSchemes[scheme]:
		return scheme + "://" + cutQuery(rest) + tail
	case strings.Contains(rest, "@") || strings.HasPrefix(scheme, "jdbc"):
		return secretMark + tail
	case keep.Has(raw):
		return url
	case strings.ContainsAny(rest, ":?") || isInternalName(hostOf(rest)):
		return hostMark + tail
	}
	return scheme + "://" + cutQuery(rest) + tail
}

// trimURL takes the punctuation of the sentence off a URL's end.
func trimURL(s string) (raw, tail string) {
	end := len(s)
	for end > 0 {
		c := s[end-1]
		closes := c == ')' && !strings.Contains(s[:end], "(") || c == ']' && !strings.Contains(s[:end], "[")
		if !closes && strings.IndexByte(".,;:!?*", c) < 0 {
			break
		}
		end--
	}
	return s[:end], s[end:]
}

func rewriteLink(raw, scheme string, keep Keep) string {
	rest := raw[len(scheme)+3:]
	authority, path := rest, ""
	if slash := strings.IndexAny(rest, "/?#"); slash >= 0 {
		authority, path = rest[:slash], rest[slash:]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	} else if keep.Has(raw) && !strings.ContainsAny(path, "?#") {
		return raw
	}
	if isInternalAuthority(authority) && !keep.Has(authority) {
		return hostMark
	}
	if at := strings.Index(path, hookPath(authority)); at >= 0 && hookPath(authority) != "" {
		return scheme + "://" + authority + "/…"
	}
	return scheme + "://" + authority + cutOpaque(path, keep)
}

// hookPath is the path behind which an incoming webhook's address is its
// credential.
func hookPath(authority string) string {
	switch host := strings.ToLower(authority); {
	case host == "hooks.slack.com":
		return "/services/"
	case strings.HasSuffix(host, "discord.com"), strings.HasSuffix(host, "discordapp.com"):
		return "/webhooks/"
	case strings.HasSuffix(host, "office.com"), strings.HasSuffix(host, "office365.com"):
		return "/webhook"
	case host == "api.telegram.org":
		return "/bot"
	case strings.HasPrefix(host, "hooks."), strings.HasPrefix(host, "hook."):
		return "/"
	}
	return ""
}

// cutOpaque drops query and fragment and what follows the first opaque segment.
// A fragment of words is a heading of a manual and stays.
func cutOpaque(path string, keep Keep) string {
	fragment := ""
	if hash := strings.IndexByte(path, '#'); hash >= 0 {
		path, fragment = path[:hash], path[hash:]
	}
	if query := strings.IndexByte(path, '?'); query >= 0 {
		path, fragment = path[:query], ""
	}
	if !isHeading(fragment) {
		fragment = ""
	}
	for at := 0; at < len(path); {
		next := len(path)
		if slash := strings.IndexByte(path[at+1:], '/'); slash >= 0 {
			next = at + 1 + slash
		}
		if segment := path[at+1 : next]; isOpaqueSegment(segment) && !keep.Has(segment) {
			return path[:at] + "/…"
		}
		at = next
	}
	return path + fragment
}

// isOpaqueSegment reports a path segment that is a token or an identifier
// rather than a word.
func isOpaqueSegment(s string) bool {
	switch {
	case len(s) < 8:
		return false
	case isUUID(s), strings.Contains(s, "…"), strings.ContainsAny(s, "%=") && len(s) >= 16:
		return true
	}
	var digits, letters, uppers int
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits++
		case isUpper(c):
			uppers++
			letters++
		case isLower(c):
			letters++
		}
	}
	// Versions and dated slugs hold digits between words; tokens hold them among letters.
	return len(s) >= 16 && digits >= 3 && letters >= 3 && longestWord(s) < 6 || len(s) >= 10 && digits >= 2 && uppers >= 2 && longestWord(s) < 5 ||
		len(s) >= 40 && longestWord(s) < 12 && (digits >= 2 || !strings.ContainsAny(s, "-_."))
}

// longestWord is the longest stretch of lower-case letters, a leading capital
// included.
func longestWord(s string) (longest int) {
	run := 0
	for i := range len(s) {
		switch {
		case isLower(s[i]):
			run++
		case isUpper(s[i]):
			run = 1
		default:
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

func isHeading(fragment string) bool {
	if len(fragment) < 2 || len(fragment) > 80 {
		return false
	}
	for i := 1; i < len(fragment); i++ {
		if c := fragment[i]; !isWord(c) && strings.IndexByte("-_.", c) < 0 {
			return false
		}
	}
	return !isOpaqueSegment(fragment[1:])
}

func cutQuery(s string) string {
	if at := strings.IndexAny(s, "?#"); at >= 0 {
		return s[:at]
	}
	return s
}

func hostOf(authority string) string {
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	if strings.HasPrefix(authority, "[") {
		if end := strings.IndexByte(authority, ']'); end > 0 {
			return authority[1:end]
		}
	}
	host, _, _ := strings.Cut(authority, ":")
	return host
}

// isInternalAuthority reports a host that no one outside can reach: a private
// address, a name without a public ending, or a service port.
func isInternalAuthority(authority string) bool {
	host := strings.ToLower(hostOf(authority))
	if ip, err := netip.ParseAddr(host); err == nil {
		return isInternalIP(ip)
	}
	if isInternalName(host) || !strings.Contains(host, ".") {
		return true
	}
	_, port, found := strings.Cut(authority, ":")
	return found && port != "80" && port != "443" && port != ""
}
