package arguments

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formats are the formats that are checked here, for the judge and the walk
// alike; the judge knows the others of draft 2020-12 by itself.
var formats = map[string]func([]byte) bool{
	"date":         isDate,
	"time":         isTime,
	"date-time":    isDateTime,
	"uuid":         isUUID,
	"ipv4":         isIPv4,
	"idn-hostname": isIDNHostname,
	"idn-email":    isIDNEmail,

	"uri":           func(b []byte) bool { return isReference(b) && isAbsolute(b) },
	"iri":           func(b []byte) bool { return isIRIReference(b) && isAbsolute(b) },
	"uri-reference": isReference,
	"iri-reference": isIRIReference,
}

var errFormat = errors.New("not of the format")

// judgeFormat makes the judge's form of a format. A value that is no string has
// every format.
func judgeFormat(name string, is func([]byte) bool) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		if s, ok := v.(string); ok && !is([]byte(s)) {
			return errFormat
		}
		return nil
	}}
}

// isDate is RFC 3339 full-date.
func isDate(b []byte) bool {
	if len(b) != len("2006-01-02") || b[4] != '-' || b[7] != '-' {
		return false
	}
	year, month, day := number(b[:4]), number(b[5:7]), number(b[8:])
	return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isTime is RFC 3339 full-time. A leap second is one only at 23:59:60 UTC.
func isTime(b []byte) bool {
	if len(b) < len("15:04:05Z") || b[2] != ':' || b[5] != ':' {
		return false
	}
	hour, minute, second := number(b[:2]), number(b[3:5]), number(b[6:8])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return false
	}
	rest := b[8:]
	if rest[0] == '.' {
		end := 1
		for end < len(rest) && isDigit(rest[end]) {
			end++
		}
		if end == 1 {
			return false
		}
		rest = rest[end:]
	}
	offset, ok := offsetMinutes(rest)
	return ok && (second < 60 || (hour*60+minute-offset+24*60)%(24*60) == 23*60+59)
}

// offsetMinutes is RFC 3339 time-offset.
func offsetMinutes(b []byte) (int, bool) {
	if len(b) == 1 {
		return 0, b[0] == 'Z' || b[0] == 'z'
	}
	if len(b) != len("+01:00") || (b[0] != '+' && b[0] != '-') || b[3] != ':' {
		return 0, false
	}
	hours, minutes := number(b[1:3]), number(b[4:])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	if b[0] == '-' {
		return -hours*60 - minutes, true
	}
	return hours*60 + minutes, true
}

// isDateTime is RFC 3339 date-time.
func isDateTime(b []byte) bool {
	const date = len("2006-01-02")
	return len(b) > date && (b[date] == 'T' || b[date] == 't') && isDate(b[:date]) && isTime(b[date+1:])
}

// number reads ASCII digits and nothing else; -1 otherwise.
func number(b []byte) int {
	n := 0
	for _, c := range b {
		if !isDigit(c) {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// isUUID is RFC 9562 section 4, in either letter case.
func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, c := range b {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if _, hex := hexValue(c); !hex {
			return false
		}
	}
	return true
}

func isIPv4(b []byte) bool {
	addr, err := netip.ParseAddr(string(b))
	return err == nil && addr.Is4()
}

func isIDNHostname(b []byte) bool {
	ascii, err := idna.Lookup.ToASCII(string(b))
	return err == nil && ascii != "" && len(ascii) <= 253
}

func isIDNEmail(b []byte) bool {
	local, domain, found := cutLast(string(b), '@')
	if !found || local == "" || len(local) > 64 || !utf8.ValidString(local) {
		return false
	}
	if strings.ContainsFunc(local, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '@' }) {
		return false
	}
	return isIDNHostname([]byte(domain))
}

// isReference is RFC 3986 URI-reference: characters outside of its alphabet are
// percent-encoded.
func isReference(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return isIRIReference(b)
}

// isIRIReference is RFC 3987: any character beyond ASCII may stand for itself.
func isIRIReference(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`"<>\^`+"`{|}", c) >= 0 {
			return false
		}
	}
	parsed, err := url.Parse(string(b))
	if err != nil {
		return false
	}
	host := parsed.Hostname()
	if !strings.Contains(host, ":") {
		return true
	}
	_, err = netip.ParseAddr(host)
	return err == nil && strings.HasPrefix(parsed.Host, "[")
}

func isAbsolute(b []byte) bool {
	parsed, err := url.Parse(string(b))
	return err == nil && parsed.IsAbs()
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	at := strings.LastIndexByte(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+1:], true
}

// Formats lists the formats that are checked, by name. Any other is an
// annotation.
func Formats() []string {
	names := []string{
		"duration", "email", "hostname", "ipv6", "json-pointer", "period", "regex", "relative-json-pointer", "semver", "uri-template",
	}
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
