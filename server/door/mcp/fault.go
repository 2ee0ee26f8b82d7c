package mcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"toolgate.dev/toolgate/server/door"
)

// faultData says in data what a status says in its details.
type faultData struct {
	Reason     string  `json:"reason"`
	Field      string  `json:"field,omitempty"`
	RetryAfter float64 `json:"retry_after,omitempty"` // seconds
}

// faultOf turns a status of the house, which is never a tool's fault, into an
// error of JSON-RPC. Codes beyond JSON-RPC's own are HTTP's, 429 say: they lie
// outside of the range that is reserved.
func faultOf(err error) error {
	problem := door.ProblemOf(err)
	code := int64(problem.Status)
	switch status.Code(err) {
	case codes.InvalidArgument:
		code = jsonrpc.CodeInvalidParams
	case codes.Internal, codes.Unknown:
		code = jsonrpc.CodeInternalError
	}
	return fault(code, problem.Detail, faultData{
		Reason: problem.Reason, Field: problem.Field, RetryAfter: problem.RetryAfter.Seconds(),
	})
}

func invalidParams(reason, field, detail string) error {
	return fault(jsonrpc.CodeInvalidParams, field+": "+detail, faultData{Reason: reason, Field: field})
}

func fault(code int64, message string, data faultData) error {
	text, err := json.Marshal(data)
	if err != nil { // a string or a finite number always is JSON
		text = nil
	}
	return &jsonrpc.Error{Code: code, Message: message, Data: text}
}
