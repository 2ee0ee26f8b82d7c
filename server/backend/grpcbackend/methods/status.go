package methods

import (
	"encoding/base64"
	"strconv"
	"strings"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	maxDetails     = 16
	maxDetailBytes = 64 << 10 // of one
)

// Failure writes a status as JSON, for rules and vocabularies: code, status (the
// code's name), message and details. Details of google.rpc are ProtoJSON; those of
// the service's own have the names of its protos.
func (m *Method) Failure(st *statuspb.Status) []byte {
	text := append([]byte(`{"code":`), strconv.Itoa(int(st.GetCode()))...)
	text = rawjson.AppendMember(text, "status", []byte(quoted(codeName(codes.Code(st.GetCode())))))
	text = rawjson.AppendMember(text, "message", []byte(quoted(st.GetMessage())))
	details := []byte{'['}
	for i, detail := range st.GetDetails() {
		if i == maxDetails {
			break
		}
		details = append(comma(details), m.detail(detail)...)
	}
	return append(rawjson.AppendMember(text, "details", append(details, ']')), '}')
}

// codeName is that of google.rpc.Code; a code of the service's own has none.
func codeName(code codes.Code) string {
	if code == codes.Canceled {
		return "CANCELLED"
	}
	var name strings.Builder
	for i, c := range code.String() {
		if i > 0 && c >= 'A' && c <= 'Z' && code != codes.OK {
			name.WriteByte('_')
		}
		name.WriteRune(c)
	}
	if code > codes.Unauthenticated {
		return "UNKNOWN"
	}
	return strings.ToUpper(name.String())
}

func (m *Method) detail(detail *anypb.Any) []byte {
	if text := linked(detail); text != nil {
		return text
	}
	if kind, err := m.types.FindMessageByURL(detail.GetTypeUrl()); err == nil {
		message := kind.New()
		if (proto.UnmarshalOptions{AllowPartial: true, Resolver: m.types}).Unmarshal(detail.GetValue(), message.Interface()) == nil {
			r := &renderer{types: m.types, max: maxDetailBytes}
			text := rawjson.AppendString(name([]byte{'{'}, typeKey), detail.GetTypeUrl())
			if text = append(r.fields(text, message), '}'); !r.full(text) {
				return text
			}
		}
	}
	text := rawjson.AppendString(name([]byte{'{'}, typeKey), detail.GetTypeUrl())
	if len(detail.GetValue()) <= maxDetailBytes {
		text = append(base64.StdEncoding.AppendEncode(append(name(text, valueKey), '"'), detail.GetValue()), '"')
	}
	return append(text, '}')
}

// linked writes a detail whose type the gateway knows itself; nil: it does not.
func linked(detail *anypb.Any) []byte {
	kind, err := protoregistry.GlobalTypes.FindMessageByURL(detail.GetTypeUrl())
	if err != nil || !strings.HasPrefix(string(kind.Descriptor().FullName()), "google.rpc.") {
		return nil
	}
	text, err := protojson.Marshal(detail)
	if err != nil {
		return nil
	}
	return rawjson.AppendCompact(nil, text)
}
