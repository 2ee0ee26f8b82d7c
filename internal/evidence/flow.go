package evidence

import (
	"regexp"
	"strings"

	"toolgate.dev/toolgate/internal/rawjson"
)

// flow writes a JSON value as a line of YAML: what needs no quotes has none.
func flow(value []byte) string {
	switch rawjson.KindOf(value) {
	case rawjson.Object:
		var members []string
		for m := range rawjson.Members(value) {
			members = append(members, scalar(m.Name())+": "+flow(m.Value))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case rawjson.Array:
		var items []string
		for item := range rawjson.Items(value) {
			items = append(items, flow(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case rawjson.String:
		return scalar(rawjson.Text(value))
	}
	return string(rawjson.Trim(value))
}

var (
	plain    = regexp.MustCompile(`^[\pL_][\pL\pN_ ./()%+-]*$`)
	mistaken = regexp.MustCompile(`(?i)^(?:true|false|yes|no|on|off|y|n|null|inf|nan)$`)
)

// scalar writes text so that YAML reads it as that text.
func scalar(text string) string {
	if plain.MatchString(text) && !mistaken.MatchString(text) && strings.TrimSpace(text) == text {
		return text
	}
	return string(rawjson.AppendString(nil, text))
}
