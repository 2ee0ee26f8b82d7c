package diagnose

import (
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// newDetail makes an empty message of a detail's type.
func newDetail(url string) (proto.Message, error) {
	kind, err := protoregistry.GlobalTypes.FindMessageByURL(url)
	if err != nil {
		return nil, err
	}
	return kind.New().Interface(), nil
}

// rawStrings reads the printable string fields of an unknown message under
// their numbers: better than nothing, and the type's name says the rest.
func rawStrings(b []byte) []member {
	var out []member
	for len(b) > 0 && len(out) < 8 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return out
		}
		b = b[n:]
		if kind == protowire.BytesType {
			value, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return out
			}
			if utf8.Valid(value) && len(value) > 0 && len(value) <= 256 && value[0] >= 0x20 {
				out = append(out, member{"field_" + strconv.Itoa(int(number)), stringOf(string(value))})
			}
			b = b[n:]
			continue
		}
		n = protowire.ConsumeFieldValue(number, kind, b)
		if n < 0 {
			return out
		}
		b = b[n:]
	}
	return out
}
