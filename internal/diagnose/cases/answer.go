package cases

import (
	"encoding/json"

	"google.golang.org/protobuf/encoding/protojson"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Answer is the line that is written for a case: {"id", "error"}, the error as
// ProtoJSON with proto field names, null for a success.
func Answer(id string, e *toolgatev1.ToolError) ([]byte, error) {
	text := json.RawMessage("null")
	if e != nil {
		var err error
		if text, err = (protojson.MarshalOptions{UseProtoNames: true}).Marshal(e); err != nil {
			return nil, err
		}
	}
	return json.Marshal(struct {
		ID    string          `json:"id"`
		Error json.RawMessage `json:"error"`
	}{id, text})
}
