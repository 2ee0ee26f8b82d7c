package funcbackend

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// answer makes a reply of what a function returned. A *ToolResult is passed on,
// a string is text, bytes are what they look like; a json.RawMessage is passed
// on digit for digit, a proto message and everything else become JSON.
func answer(value any) (*interceptors.Reply, error) {
	reply := &interceptors.Reply{Transport: interceptors.TransportFunction, Sent: true}
	switch value := value.(type) {
	case nil:
		return reply, nil
	case *toolgatev1.ToolResult:
		reply.Result = proto.CloneOf(value)
		return reply, nil
	case string:
		reply.Result = &toolgatev1.ToolResult{Content: []*toolgatev1.ContentBlock{{
			Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: value}},
		}}}
		return reply, nil
	case []byte:
		reply.Body = bytes.Clone(value)
		return reply, nil
	}
	body, err := encode(value)
	if err != nil {
		return nil, fmt.Errorf("the answer can't be written as JSON: %w", err)
	}
	reply.Body, reply.Header = body, map[string][]string{"Content-Type": {"application/json"}}
	return reply, nil
}

func encode(value any) ([]byte, error) {
	switch value := value.(type) {
	case json.RawMessage:
		if !json.Valid(value) {
			return nil, fmt.Errorf("%d bytes are no JSON", len(value))
		}
		return bytes.Clone(value), nil
	case proto.Message:
		return protojson.MarshalOptions{UseProtoNames: true}.Marshal(value)
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(body.Bytes(), "\n"), nil
}
