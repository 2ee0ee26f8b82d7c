package dispatch

import (
	"bytes"
	"encoding/json"
	"strconv"

	"toolgate.dev/toolgate/interceptors"
)

// cut is a JSON answer within its limit.
type cut struct {
	text      []byte
	returned  uint64
	matched   *uint64
	truncated bool
}

// cutJSON bounds a JSON text without ever ending inside a value. body is valid
// JSON where whole is true, else the head of a longer text.
//
// Of a whole answer only its list is cut, so that what stands around the list
// (a total, a cursor) survives. Of a head everything behind the last whole
// value is dropped and what is open is closed.
func cutJSON(body []byte, whole bool, limit int, shape interceptors.ResultShape) cut {
	if !whole {
		text := closeHead(body, limit)
		return cut{text: text, returned: countList(text, shape), truncated: true}
	}
	result := cut{text: body, matched: matchedCount(body, shape)}
	if len(body) <= limit {
		result.returned = countList(body, shape)
		return result
	}
	list, found := findList(body, shape)
	if found {
		result.returned = uint64(len(list.ends))
	}
	result.truncated = true
	if found {
		if result.matched == nil {
			all := uint64(len(list.ends))
			result.matched = &all
		}
		if text, kept, ok := shorten(body, list, limit); ok {
			result.text, result.returned = text, uint64(kept)
			return result
		}
	}
	result.text = closeHead(body, limit)
	result.returned = countList(result.text, shape)
	return result
}

// shorten keeps as many items of the list as fit.
func shorten(body []byte, list span, limit int) (text []byte, kept int, ok bool) {
	around := list.open + 1 + (len(body) - list.close)
	for kept = len(list.ends); kept > 0; kept-- {
		if around+list.ends[kept-1]-(list.open+1) <= limit {
			break
		}
	}
	if around > limit {
		return nil, 0, false
	}
	end := list.open + 1
	if kept > 0 {
		end = list.ends[kept-1]
	}
	text = append(bytes.Clone(body[:end]), body[list.close:]...)
	return text, kept, true
}

// closeHead keeps whole values from the front and closes what is open.
func closeHead(body []byte, limit int) []byte {
	w := walker{text: body[:min(len(body), limit)], limit: limit}
	w.value()
	if w.best == 0 {
		return []byte("null")
	}
	return append(bytes.Clone(body[:w.best]), w.closers...)
}

// matchedCount reads the number of all matches, where the catalogue says where
// it stands.
func matchedCount(body []byte, shape interceptors.ResultShape) *uint64 {
	if shape.Matched == "" {
		return nil
	}
	raw, found := pointed(body, shape.Matched)
	if !found {
		return nil
	}
	var number json.Number
	if json.Unmarshal(raw, &number) != nil {
		return nil
	}
	n, err := strconv.ParseUint(number.String(), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}
