package access

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgate.dev/toolgate/interceptors"
)

const (
	maxName  = 64
	maxClaim = 256

	certificates = "cert" // stands where an issuer's name does
)

// nameOf accepts letters, digits and what is listed besides.
func nameOf(text, besides string, most int) bool {
	for i := range len(text) {
		if !word(text[i:i+1]) && strings.IndexByte(besides, text[i]) < 0 {
			return false
		}
	}
	return text != "" && len(text) <= most
}

// A principal that the file does not name is told by where it comes from, its name
// there, and its roles: `corp/ann@example.com;billing,reader`.
func unlisted(from, name string, roles []string) string {
	return from + "/" + escape(name) + ";" + strings.Join(roles, ",")
}

// escape keeps a name from ending where its roles begin.
func escape(name string) string {
	if !strings.ContainsAny(name, ";%") {
		return name
	}
	return strings.NewReplacer("%", "%25", ";", "%3B").Replace(name)
}

// presentable reports whether a name from outside may stand in logs.
func presentable(name string) bool {
	return name != "" && len(name) <= maxClaim && utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool {
		return unicode.IsControl(c) || !unicode.IsPrint(c)
	})
}

func checkPrincipalName(at place, name string) {
	switch {
	case name == interceptors.Anonymous:
		at.sayf("another name, or the rights under anonymous", "%q is whoever shows no credential", name)
	case !nameOf(name, "_.-@", maxName):
		at.sayf("1 to 64 of A-Z a-z 0-9 _ . - @", "%q is no name of a principal", name)
	}
}

func checkName(at place, name, what string) {
	if !nameOf(name, "_.-", maxName) {
		at.sayf("1 to 64 of A-Z a-z 0-9 _ . -", "%q is no name of %s", name, what)
	}
}
