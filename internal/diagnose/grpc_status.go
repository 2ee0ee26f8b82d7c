package diagnose

import (
	"strconv"

	_ "google.golang.org/genproto/googleapis/rpc/errdetails" // its types resolve by name
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// grpcNames are the canonical codes in order (google/rpc/code.proto).
var grpcNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

func grpcName(code int) string {
	if code >= 0 && code < len(grpcNames) {
		return grpcNames[code]
	}
	return "UNKNOWN"
}

// grpcCode is the number of a canonical code's name, -1 for another text.
func grpcCode(name string) int {
	for i, known := range grpcNames {
		if known == name {
			return i
		}
	}
	return -1
}

// readStatus turns a gRPC failure into the object that docs/vocabularies.md
// describes.
func (r *reading) readStatus() {
	message := r.reply.Message
	var details []*node
	var st statuspb.Status
	if len(r.reply.Details) > 0 && proto.Unmarshal(r.reply.Details, &st) == nil {
		if message == "" {
			message = st.GetMessage()
		}
		for i, any := range st.GetDetails() {
			if len(details) < 16 {
				detail := r.writtenDetail(i, any.GetTypeUrl())
				if detail == nil {
					detail = detailNode(any.GetTypeUrl(), any.GetValue())
				}
				details = append(details, detail)
			}
		}
	}
	if len(details) == 0 && len(r.reply.Body) > 0 { // JSON details, where types are not known
		body, _ := parseJSON(string(r.reply.Body))
		for _, item := range body.member("details").elements() {
			details = append(details, item.node)
		}
	}
	r.form = formStatus
	r.root = objectOf(
		member{"code", &node{kind: numberNode, text: strconv.Itoa(r.status)}},
		member{"status", stringOf(grpcName(r.status))},
		member{"message", stringOf(message)},
		member{"details", listOf(details...)},
	)
}

// detailNode renders one detail in its JSON form. A type that is not linked in
// keeps its name, and whatever can be read of it by shape.
func detailNode(url string, value []byte) *node {
	kind := member{"@type", stringOf(url)}
	if text, err := renderDetail(url, value); err == nil {
		if n, whole := parseJSON(text); whole && n.isObject() {
			n.items = append([]member{kind}, n.items...)
			return n
		}
	}
	return objectOf(append([]member{kind}, rawStrings(value)...)...)
}

// writtenDetail is a detail whose type is not linked in, in the JSON that the back
// end made of the status: it may know the service's own types. nil: it does not.
func (r *reading) writtenDetail(place int, url string) *node {
	if len(r.reply.Body) == 0 {
		return nil
	}
	if _, err := newDetail(url); err == nil {
		return nil
	}
	body, _ := parseJSON(string(r.reply.Body))
	all := body.member("details").elements()
	if place >= len(all) {
		return nil
	}
	written := all[place].node
	if written.member("@type").str() != url || len(written.items) < 2 || len(written.items) == 2 && written.member("value") != nil {
		return nil
	}
	return written
}

func renderDetail(url string, value []byte) (string, error) {
	message, err := newDetail(url)
	if err != nil {
		return "", err
	}
	if err := proto.Unmarshal(value, message); err != nil {
		return "", err
	}
	text, err := protojson.Marshal(message)
	return string(text), err
}

// CanonicalCode is the number of a gRPC code by its name; 2 (UNKNOWN) for
// another text.
func CanonicalCode(name string) int {
	if code := grpcCode(name); code >= 0 {
		return code
	}
	return grpcCode("UNKNOWN")
}
