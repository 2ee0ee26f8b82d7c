package expression

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"toolgate.dev/toolgate/internal/rawjson"
)

const maxDepth = 64

var errTooDeep = errors.New("nested too deep")

// encoder writes CEL values as JSON.
type encoder struct {
	reader *reader
	keys   map[string]int // order of the keys of computed maps; unknown ones last, by name
}

func (e encoder) encode(value ref.Val) ([]byte, error) { return e.append(nil, value, maxDepth) }

func (e encoder) append(dst []byte, value ref.Val, depth int) ([]byte, error) {
	if depth == 0 {
		return nil, errTooDeep
	}
	switch value := value.(type) {
	case *object:
		return rawjson.AppendCompact(dst, value.text), nil
	case *list:
		return rawjson.AppendCompact(dst, value.text), nil
	case *types.Optional:
		if !value.HasValue() {
			return append(dst, "null"...), nil
		}
		return e.append(dst, value.GetValue(), depth-1)
	case traits.Mapper:
		return e.appendMap(dst, value, depth-1)
	case traits.Lister:
		return e.appendList(dst, value, depth-1)
	}
	return e.appendScalar(dst, value)
}

func (e encoder) appendScalar(dst []byte, value ref.Val) ([]byte, error) {
	switch value := value.(type) {
	case types.Null:
		return append(dst, "null"...), nil
	case types.Bool:
		return strconv.AppendBool(dst, bool(value)), nil
	case types.Int:
		return strconv.AppendInt(dst, int64(value), 10), nil
	case types.Uint:
		return strconv.AppendUint(dst, uint64(value), 10), nil
	case wide:
		return append(dst, value...), nil
	case types.Double:
		text, ok := e.reader.spell(value)
		if !ok {
			return nil, errors.New("a number is not finite")
		}
		return append(dst, text...), nil
	case types.String:
		return rawjson.AppendString(dst, string(value)), nil
	case types.Bytes:
		return rawjson.AppendString(dst, base64.StdEncoding.EncodeToString(value)), nil
	case types.Timestamp:
		return rawjson.AppendString(dst, value.UTC().Format(time.RFC3339Nano)), nil
	case types.Duration:
		return rawjson.AppendString(dst, strconv.FormatFloat(value.Seconds(), 'f', -1, 64)+"s"), nil
	}
	return nil, fmt.Errorf("a value of type %s is no JSON", value.Type().TypeName())
}

func (e encoder) appendList(dst []byte, items traits.Lister, depth int) ([]byte, error) {
	dst = append(dst, '[')
	var err error
	for it, first := items.Iterator(), true; it.HasNext() == types.True; first = false {
		if !first {
			dst = append(dst, ',')
		}
		if dst, err = e.append(dst, it.Next(), depth); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (e encoder) appendMap(dst []byte, m traits.Mapper, depth int) ([]byte, error) {
	var names []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		name, ok := it.Next().(types.String)
		if !ok {
			return nil, errors.New("a key is not a string")
		}
		names = append(names, string(name))
	}
	slices.SortFunc(names, e.compareKeys)
	dst = append(dst, '{')
	var err error
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, name), ':')
		if dst, err = e.append(dst, m.Get(types.String(name)), depth); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (e encoder) compareKeys(a, b string) int {
	placeA, knownA := e.keys[a]
	placeB, knownB := e.keys[b]
	switch {
	case knownA && knownB:
		return placeA - placeB
	case knownA:
		return -1
	case knownB:
		return 1
	}
	return strings.Compare(a, b)
}
