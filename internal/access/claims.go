package access

import (
	"slices"
	"strings"
)

// claim finds a claim: by its name as it stands, else member by member along the
// dots. nil: it is not there.
func claim(claims map[string]any, name string) any {
	if value, found := claims[name]; found {
		return value
	}
	first, rest, more := strings.Cut(name, ".")
	if !more {
		return nil
	}
	inner, _ := claims[first].(map[string]any)
	return claim(inner, rest)
}

// granted lists the roles that a token grants, sorted.
func (i *issuer) granted(claims map[string]any) []string {
	roles := slices.Clone(i.roles)
	for _, value := range textsOf(claim(claims, i.rolesClaim)) {
		if role, grants := i.grants[value]; grants {
			roles = append(roles, role)
		}
	}
	return distinct(roles)
}

// textsOf reads a list of texts, or one text of words.
func textsOf(value any) (texts []string) {
	switch value := value.(type) {
	case string:
		return strings.Fields(value)
	case []any:
		for _, item := range value {
			if text, ok := item.(string); ok {
				texts = append(texts, text)
			}
		}
	}
	return texts
}
