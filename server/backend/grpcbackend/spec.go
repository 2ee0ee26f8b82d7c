package grpcbackend

import (
	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// Spec is a tool's gRPC entry with everything resolved that stands elsewhere.
type Spec struct {
	// Server is the way to the upstream. Required.
	Server *Server
	// Services describe it; nil: the server could not be asked yet, and is with each
	// call until it answers.
	Services *methods.Services
	// Call is the entry. Required.
	Call *catalogv1.GrpcCall
	// Headers are sent as metadata. SecretHeaders, read and prefixed, win over them.
	Headers, SecretHeaders map[string]string
	// IdempotencyKey says where the key goes; nil: the tool has none.
	IdempotencyKey *catalogv1.IdempotencyKey
	// Reads has what came of a stream be the answer when its time is over.
	Reads bool
	// MaxResultBytes is how much of an answer the tool's policy passes on; more is
	// kept, for diagnosis.
	MaxResultBytes int
	// Bearer has the token that calls show; nil: they show none.
	Bearer backend.Bearer
}
