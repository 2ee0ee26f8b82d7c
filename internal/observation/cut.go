package observation

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"toolgate.dev/toolgate/internal/rawjson"
)

func cutRunes(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// cutValue shortens valid JSON to max bytes and leaves it valid: a list loses
// its last items, an object loses from its largest member, a string its end.
// What can't be shortened is null.
func cutValue(text []byte, max int) []byte {
	if len(text) <= max {
		return text
	}
	switch rawjson.KindOf(text) {
	case rawjson.Array:
		return cutArray(text, max)
	case rawjson.Object:
		return cutObject(text, max)
	case rawjson.String:
		if max > 8 {
			cut := rawjson.AppendString(nil, cutRunes(rawjson.Text(text), max/2)+ellipsis)
			if len(cut) <= max {
				return cut
			}
		}
	}
	return []byte("null")
}

func cutArray(text []byte, max int) []byte {
	out := []byte{'['}
	for item := range rawjson.Items(text) {
		if len(out)+len(item)+2 > max {
			if len(out) == 1 && max > 16 { // a list of one giant
				out = append(out, cutValue(item, max-2)...)
			}
			break
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}

// cutObject takes from the largest members first: what stands around a long
// list (a total, a cursor) is worth more than its end.
func cutObject(text []byte, max int) []byte {
	members := slices.Collect(rawjson.Members(text))
	bySize := make([]int, len(members))
	excess := 2 - max
	for i, m := range members {
		bySize[i] = i
		excess += memberSize(m)
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(len(members[b].Value), len(members[a].Value)) })
	for _, i := range bySize {
		if excess <= 0 {
			break
		}
		excess -= memberSize(members[i])
		if room := len(members[i].Value) - excess - memberSize(members[i]); room >= 16 {
			members[i].Value = cutValue(members[i].Value, room)
			excess += memberSize(members[i])
			continue
		}
		members[i].Key = nil // left out
	}
	return join(members)
}

func memberSize(m rawjson.Member) int { return len(m.Key) + len(m.Value) + 2 }

func join(members []rawjson.Member) []byte {
	out := []byte{'{'}
	for _, m := range members {
		if m.Key == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.Key...), ':'), m.Value...)
	}
	return append(out, '}')
}
