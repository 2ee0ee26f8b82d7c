package redact

import (
	"regexp"
	"strings"
)

// identifierRules remove identifiers that are of use only to whoever runs the
// upstream. The caller's own stay.
var identifierRules = []rule{
	{ // W3C trace context
		needs: hasTrace,
		re:    regexp.MustCompile(`(?i)(?:\b(?:traceparent|trace[ _-]?id)["']?\s*[:=]?\s*["']?)?\b[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\b`),
		with:  always(gap),
	},
	{ // AWS X-Ray
		needs: hasTrace,
		re:    regexp.MustCompile(`(?i)\b(?:root=|self=)?1-[0-9a-f]{8}-[0-9a-f]{24}\b(?:;(?:parent|sampled)=\w+)*`),
		with:  always(gap),
	},
	{ // GitHub's request ids
		needs: hasManyColons,
		re:    regexp.MustCompile(`\b[0-9A-F]{4}:[0-9A-F]{4,8}:[0-9A-F]{5,8}:[0-9A-F]{5,8}:[0-9A-F]{8}\b`),
		with:  unlessSent(idMark),
	},
	{ // Akamai and Microsoft
		words: []string{"reference #", "contextid", "trackingid", "systemtracker", "requeststarttime", "requeststats", "request uri"}, reach: 256, starts: true,
		re:   regexp.MustCompile(`^(?i:reference #\d+(?:\.[0-9a-f]+)+|contextid\s+\S+|(?:trackingid|systemtracker):\s*[^\s,]*|request(?:starttime|stats):\s*[^\s,]*|request\s?uri:\s*/[^\s,]*)`),
		with: always(gap),
	},
	{
		words: named(operators, "id", "guid", "uuid", "ref", "code", "number", "no", "#"), reach: 96, starts: true,
		re: regexp.MustCompile(`^([A-Za-z0-9]+(?:[-_ ][A-Za-z0-9]+)*?[-_ ]?(?:#|(?i:id(?:entifier)?|guid|uuid|ref(?:erence)?|code|number|no\.?))(?:-2)?)` +
			`(\\?["']?\s*(?:[:=#]|is\b)?\s*\\?["'(\[]?)([A-Za-z0-9][\w:.+/=-]*[\w=])(\\?["']?)`),
		with: requestID,
	},
	{
		needs: hasUUID,
		re:    regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`),
		with:  unlessSent(idMark),
	},
	{ // request ids by their beginning, accounts by theirs
		needs: hasDigit, words: []string{"req_", "req-", "org-", "org_", "proj_", "acct_", "usr_", "user_", "cus_"}, reach: 64, starts: true,
		re:   regexp.MustCompile(`^(?:req|org|proj|acct|usr|user|cus)[_-](?:[A-Za-z]*\d[\w]{3,}|[A-Za-z0-9]{10,})\b`),
		with: accountID,
	},
	{ // accounts by their name
		needs: hasDigit, words: named(accounts, "id"), reach: 96, starts: true,
		re: regexp.MustCompile(`^([A-Za-z]+[ _-]?[Ii][Dd]s?` +
			`\\?["']?\s*[:=#]?\s*\\?["']?)([\w-]*\d[\w-]*)`),
		with: func(m match) string {
			if m.keep.Has(m.group(2)) {
				return m.group(0)
			}
			return m.group(1) + idMark
		},
	},
	{ // the account in an Amazon resource name
		needs: hasColon | hasDigit, words: []string{"arn:aws"}, reach: 96,
		re: regexp.MustCompile(`\b(arn:aws[\w-]*:[\w-]*:[\w-]*:)(\d{12})\b`),
		with: func(m match) string {
			if m.keep.Has(m.group(2)) {
				return m.group(0)
			}
			return m.group(1) + idMark
		},
	},
}

// operators and accounts are whom an identifier is of. Names that hold others
// begin further to the left, and so are found first.
var (
	operators = []string{
		"request", "req", "trace", "span", "correlation", "activity", "ray", "incident", "logging", "log", "support", "diagnostic", "amz",
		"x-request", "x-req", "x-trace", "x-amzn-trace", "x-amz-request", "x-amzn-request", "x-amz", "x-b3-trace", "x-correlation",
		"x-ms-request", "x-ms-client-request", "x-ms-correlation-request", "client-request", "client request", "x-github-request",
		"extended request", "s3 extended request", "aws request", "amz request", "openai request", "cf-ray", "cloudflare ray", "fb_trace", "fbtrace",
		"original request", "root trace", "opc-request", "api request", "http request", "server request",
	}
	accounts = []string{"user", "account", "tenant", "org", "organization", "organisation", "subscription", "installation", "principal", "owner"}
)

// named joins each name with each ending, in the ways in which names are joined.
func named(names []string, endings ...string) (words []string) {
	for _, name := range names {
		for _, ending := range endings {
			for _, joint := range []string{" ", "_", "-", ""} {
				words = append(words, name+joint+ending)
			}
		}
	}
	return words
}

// requestID takes name and value where they stand as a pair, the value alone
// inside a sentence. A value is told from the next word by its digits.
func requestID(m match) string {
	value := m.group(3)
	if !strings.ContainsAny(value, "0123456789") && (len(value) < 12 || !looksRandom(value)) || m.keep.Has(value) || len(value) < 4 {
		return m.group(0)
	}
	if strings.ContainsAny(m.group(2), ":=#") {
		m.keep.note(value, idMark)
		if strings.HasSuffix(m.before(1), `"`) || strings.HasSuffix(m.before(1), "'") {
			return quotedGap
		}
		return gap
	}
	return m.group(1) + m.group(2) + idMark + m.group(4)
}

func accountID(m match) string {
	if m.keep.Has(m.group(0)) || !looksRandom(m.group(0)) {
		return m.group(0)
	}
	return idMark
}

func isUUID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}
