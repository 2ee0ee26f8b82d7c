package arguments

import (
	"slices"
	"strings"
)

// repairs returns what a string may mean where a string of another form is
// accepted: a member of a list, a format, a pattern. Text that the place accepts
// as it is never comes here; free text is never trimmed.
func (e *engine) repairs(p place, n *node, accepted kinds) (all []candidate) {
	if accepted&isString == 0 {
		return nil
	}
	add := func(text, rule string) {
		if text != n.text {
			all = append(all, candidate{node: stringNode(text, &change{was: n.raw, rule: rule})})
		}
	}
	trimmed := strings.Trim(n.text, asciiSpace)
	listed, formed := members(p.flat), false
	for _, s := range p.flat {
		formed = formed || s.Pattern != nil || s.Format != nil
		if s.Format != nil && !e.holds(s, n) {
			for _, r := range readFormat(s.Format.Name, trimmed) {
				if r.rule != fromMidnight || !takesInstants(p.entered) {
					add(r.text, r.rule)
				}
			}
		}
	}
	if (formed || len(listed) > 0) && trimmed != n.text {
		add(trimmed, "trim_whitespace")
	}
	if member := sameLetters(listed, trimmed); member != "" {
		add(member, "enum_case")
	}
	return all
}

// takesInstants reports whether an instant would be accepted beside a date:
// midnight may be meant as one, then, and lacks its offset.
func takesInstants(entered []union) bool {
	return slices.ContainsFunc(entered, func(u union) bool {
		return slices.ContainsFunc(u.branches, func(b *schema) bool {
			return b.Format != nil && b.Format.Name == "date-time"
		})
	})
}

// sameLetters returns the one member that differs in letter case alone. Where
// several do, case means something.
func sameLetters(members []string, text string) string {
	found := ""
	for _, m := range members {
		switch {
		case !strings.EqualFold(m, text):
		case found != "":
			return ""
		default:
			found = m
		}
	}
	return found
}

// reading is one meaning of a text that is not of its format.
type reading struct{ text, rule string }

// readFormat returns what a text may mean in a format. Several readings are
// several meanings: nobody but the model can choose.
func readFormat(format, text string) []reading {
	switch format {
	case "date":
		return readDate(text)
	case "date-time":
		return readDateTime(text)
	case "time":
		if full, rule, ok := completeTime(text); ok {
			return []reading{{full, strings.Replace(rule, "datetime", "time", 1)}}
		}
	case "uuid":
		return readUUID(text)
	case "duration":
		return readDuration(text)
	}
	return nil
}

// readUUID takes the braces of the registry, the URN form of RFC 9562 and the
// form without hyphens. Letter case stays.
func readUUID(text string) []reading {
	bare := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	if len(bare) > 9 && strings.EqualFold(bare[:9], "urn:uuid:") {
		bare = bare[9:]
	}
	if len(bare) == 32 {
		bare = strings.Join([]string{bare[:8], bare[8:12], bare[12:16], bare[16:20], bare[20:]}, "-")
	}
	if bare == text || !isUUID([]byte(bare)) {
		return nil
	}
	return []reading{{bare, "uuid_form"}}
}

// readDuration takes ISO 8601 in lower case where the letters can't be anything
// else: m is months before the T and minutes behind it.
func readDuration(text string) []reading {
	upper := strings.ToUpper(text)
	date, _, timed := strings.Cut(upper, "T")
	if upper == text || !strings.HasPrefix(upper, "P") || (!timed && strings.Contains(date, "M")) {
		return nil
	}
	return []reading{{upper, "duration_case"}}
}

func distinct(all []reading) []reading {
	slices.SortFunc(all, func(a, b reading) int { return strings.Compare(a.text, b.text) })
	return slices.CompactFunc(all, func(a, b reading) bool { return a.text == b.text })
}
