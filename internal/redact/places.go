package redact

import (
	"net/netip"
	"regexp"
	"strings"
)

// placeRules remove where things run: internal addresses, hosts and files.
var placeRules = []rule{
	{
		needs: hasQuad,
		re:    regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?\b`),
		with:  internalIP,
	},
	{ // RFC 4193, RFC 4291, and what is given out of 2000::/3
		any:  hasDoubleColon | hasManyColons,
		re:   regexp.MustCompile(`(?i)\[?(?:\bfe[89ab][0-9a-f](?::[0-9a-f]{0,4}){2,7}|\b(?:f[cd]|2[0-9a-f])[0-9a-f]{2}(?::[0-9a-f]{0,4}){2,7}|(?:\b0)?::(?:1|ffff:\d+\.\d+\.\d+\.\d+))(?:%\w+)?\b\]?(?::\d{1,5}\b)?`),
		with: internalIP6,
	},
	{ // a name with a port
		needs: hasPort,
		re:    regexp.MustCompile(`(?i)\b((?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?):(\d{2,5})\b`),
		with:  hostWithPort,
	},
	{ // a name with an internal ending
		needs: hasInnerDot, words: internalEndings, back: 128, reach: 32,
		re:   regexp.MustCompile(`(?i)\b(?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z]{2,}\b`),
		with: internalHost,
	},
	{ // a name where only a host can stand
		any:   hasInnerDot | hasInnerDash | hasMixedWord,
		words: []string{"host", "server", "upstream", "backend", "dial", "lookup", "getaddrinfo", "resolve", "node", "connect", "reach"}, reach: 64, starts: true,
		re: regexp.MustCompile(`^((?i:hosts?|hostname|server|upstream|backend|dial(?: tcp)?|lookup|getaddrinfo(?: [A-Z_]+)?|resolve(?:d)?|` +
			`node|connect(?:ing|ion|ed)?(?: refused)?(?: to)?|reach(?:ing)?))((?:\s+(?:name|at|to|is|host))?\s*[:=]?\s*\\?["'(\[]?)` +
			`((?:[A-Za-z0-9]+[.-])+[A-Za-z0-9]+|[A-Za-z]+\d+)\b`),
		with: hostInContext,
	},
	{
		needs: hasPath,
		re:    regexp.MustCompile(`(?:^|[\s"'(=:,\[\x60])(/[\w.@+~%-]+(?:/[\w.@+~%:-]*)+)(?: on line \d+|\(\d+\))?`),
		with:  filePath,
	},
	{ // Windows
		needs: hasBackslash,
		re:    regexp.MustCompile(`\b[A-Za-z]:(?:\\{1,2}[\w.$@~+()-]+(?: [\w.$@~+()-]+)*)+(?::(?:line )?\d+)?|\\{2,4}[\w.-]+(?:\\{1,2}[\w.$-]+)+`),
		with: func(m match) string {
			if m.before(1) == "%" || m.keep.Has(m.group(0)) { // a verb of a format
				return m.group(0)
			}
			return pathMark
		},
	},
	{ // a source file with a line
		needs: hasInnerDot | hasPort,
		re: regexp.MustCompile(`[\w./@~-]+\.(?:py|rb|rs|go|java|kts?|[mc]?[jt]sx?|php|cs|cc|cpp|c|h|exs?|erl|scala|clj|swift|p[lm]|lua|dart)` +
			`:(?:line )?\d+(?::\d+)?\b`),
		with: unlessSent(pathMark),
	},
}

// isInternalIP reports addresses that are no one's in public.
func isInternalIP(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || sharedSpace.Contains(ip)
}

var sharedSpace = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598

// internalIP takes addresses: the upstream's machines, and the gateway's own as
// the other side sees it. A network with its prefix length is a parameter, not a
// place.
func internalIP(m match) string {
	address, _, _ := strings.Cut(m.group(0), ":")
	ip, err := netip.ParseAddr(address)
	if err != nil || strings.Contains(address, "/") || m.keep.Has(address) || versionBefore(m) || !isInternalIP(ip) && ip.As4()[0] == 0 {
		return m.group(0)
	}
	return hostMark
}

// versionBefore reports a version of four numbers, which reads like an address.
func versionBefore(m match) bool {
	before := strings.ToLower(m.before(10))
	return strings.HasSuffix(before, "version ") || strings.HasSuffix(before, "v") || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "/")
}

func internalIP6(m match) string {
	address, _, _ := strings.Cut(strings.TrimPrefix(m.group(0), "["), "]")
	if strings.HasPrefix(address, "::1:") { // loopback with a port, not a longer address
		address = "::1"
	}
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Is4() || m.keep.Has(address) {
		return m.group(0)
	}
	return hostMark
}

// internalEndings are the last labels, or more, of names without a place in the
// public tree, and of services that only the inside of a cloud account reaches.
var internalEndings = []string{
	".internal", ".local", ".localdomain", ".corp", ".lan", ".intranet", ".intra", ".private", ".svc", ".consul", ".home.arpa",
	".invalid", ".test", ".rds.amazonaws.com", ".cache.amazonaws.com", ".database.windows.net", ".internal.cloudapp.net",
	".redis.cache.windows.net", ".mongodb.net", ".elb.amazonaws.com", ".docker", ".cluster",
}

// isInternalName reports a host name with such an ending, or with a label that
// says so inside a public name.
func isInternalName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" {
		return true
	}
	for _, ending := range internalEndings {
		if strings.HasSuffix(host, ending) {
			return true
		}
	}
	return strings.Contains(host, ".corp.") || strings.Contains(host, ".internal.") || strings.Contains(host, ".intra.")
}

// hostPorts are names of services that stand in front of a port.
var hostPorts = setOf(`
	localhost db database redis postgres postgresql mysql mariadb mongo mongodb kafka rabbitmq elasticsearch opensearch memcached
	etcd consul vault nats minio zookeeper clickhouse cassandra proxy gateway backend`)

func hostWithPort(m match) string {
	host, port := strings.ToLower(m.group(1)), m.group(2)
	lastDot := strings.LastIndexByte(host, '.')
	switch {
	case m.keep.Has(m.group(1)), strings.HasSuffix(m.before(2), "//"):
		return m.group(0)
	case isInternalName(host), hostPorts[host]:
		return hostMark
	case lastDot > 0 && isAlpha(host[lastDot+1:]) && !isFileName(host) && len(port) >= 2 && port != "80" && port != "443":
		return hostMark
	case lastDot < 0 && strings.Contains(host, "-") && len(port) >= 4 && isLower(host[0]) && !strings.Contains(m.group(1), "_"):
		return hostMark
	}
	return m.group(0)
}

func isAlpha(s string) bool {
	for i := range len(s) {
		if !isLower(s[i]) && !isUpper(s[i]) {
			return false
		}
	}
	return len(s) >= 2
}

// isFileName reports a source or data file, whose ":12" is a line.
func isFileName(host string) bool {
	switch host[strings.LastIndexByte(host, '.')+1:] {
	case "py", "rb", "rs", "go", "java", "kt", "js", "ts", "tsx", "jsx", "mjs", "cjs", "php", "cs", "cpp", "sql", "yaml", "yml",
		"json", "xml", "csv", "html", "md", "txt", "toml", "tf", "sh":
		return true
	}
	return false
}

// internalHost takes a bare name only where it can't be the path of a field
// (`spec.internal`): with a digit or hyphen in it, with a service's name
// (`redis.internal`), or behind a host's word.
func internalHost(m match) string {
	host := m.group(0)
	oneCase := host == strings.ToLower(host) || host == strings.ToUpper(host) // others are names of code
	if !oneCase || !isInternalName(host) || m.keep.Has(host) || strings.HasSuffix(m.before(1), "@") {
		return host
	}
	if strings.Count(host, ".") >= 3 || strings.ContainsAny(host, "0123456789-") || isService(host) || hostWordBefore(m) {
		return hostMark
	}
	return host
}

// isService reports `db.internal`; `database.private` may be a field.
func isService(host string) bool {
	first, ending, _ := strings.Cut(strings.ToLower(host), ".")
	return hostPorts[first] && ending != "private" && ending != "test"
}

func hostWordBefore(m match) bool {
	for word := range strings.FieldsSeq(strings.ToLower(m.before(40))) {
		switch strings.Trim(word, `"'(:=[`) {
		case "host", "hostname", "server", "upstream", "backend", "dial", "tcp", "lookup", "resolve", "node", "connect", "connecting",
			"connection", "reach", "address", "enotfound", "econnrefused", "domain":
			return true
		}
	}
	return false
}

// hostInContext takes the name behind a host's word, unless it is public, a
// region of a cloud or what the caller sent.
func hostInContext(m match) string {
	host := strings.ToLower(m.group(3))
	_, ipErr := netip.ParseAddr(host)
	public := strings.Contains(host, ".") && !isInternalName(host)
	if m.group(2) == "" || public || ipErr == nil || isRegion(host) || m.keep.Has(m.group(3)) || isProse(host) {
		return m.group(0)
	}
	return m.group(1) + m.group(2) + hostMark
}

var regions = regexp.MustCompile(`^(?:us|eu|ap|sa|ca|me|af|il|mx|asia|europe|africa|australia|(?:north|south)america|[a-z]+)-?(?:gov-)?(?:north|south|east|west|central)+-?\w*(?:-\w)?$`)

func isRegion(host string) bool { return regions.MatchString(host) }

// isProse reports compound words (`time-out`, `re-try`): a host has a digit in
// it, an internal ending, or a usual part.
func isProse(host string) bool {
	if isInternalName(host) || strings.ContainsAny(host, "0123456789") {
		return false
	}
	for part := range strings.SplitSeq(host, "-") {
		switch part {
		case "db", "svc", "api", "prod", "stage", "staging", "dev", "master", "primary", "replica", "cache", "redis", "postgres",
			"mysql", "mongo", "kafka", "es", "elastic", "core", "srv", "app", "web", "lb", "vm", "worker", "internal", "sql", "queue",
			"rabbit", "auth", "gw", "service", "host":
			return false
		}
	}
	return true
}

// systemRoots are first segments of file systems, never of APIs.
var systemRoots = setOf(`var home usr opt srv etc root tmp mnt proc nix Users Library Applications private snap boot workspace
	workspaces builds builddir codebuild opt1 media sbin`)

var sourceFile = regexp.MustCompile(`(?:node_modules|site-packages|dist-packages|/vendor/|/gems/|\.cargo|\.rustup|\.(?:py|rb|rs|go|java|kt|[mc]?[jt]sx?|` +
	`php|cs|cc|cpp|exs?|so|dll|jar|class|erb|pl|pm)(?::|$))`)

// filePath takes a path of the file system and one with identifiers in it; what
// reads like a resource of an API stays.
func filePath(m match) string {
	path := m.group(1)
	lead, _, _ := strings.Cut(m.group(0), path)
	if m.keep.Has(strings.TrimRight(path, "/.:")) {
		return m.group(0)
	}
	first, _, _ := strings.Cut(path[1:], "/")
	if systemRoots[first] || sourceFile.MatchString(path) {
		return lead + pathMark + sentenceEnd(path)
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if isOpaqueSegment(strings.TrimRight(segment, ".,:")) && !m.keep.Has(segment) {
			return lead + pathMark
		}
	}
	return m.group(0)
}

// sentenceEnd is the full stop or colon that a path swallowed.
func sentenceEnd(path string) string {
	if c := path[len(path)-1]; c == '.' || c == ':' {
		return string(c)
	}
	return ""
}
