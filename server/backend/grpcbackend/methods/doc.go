// Package methods knows the methods of gRPC services by their descriptors: what
// they are called with and what they answer, as JSON.
//
// Names are those of the protos, as google.rpc.BadRequest and every service writes
// them in its errors; their lowerCamelCase form is understood too. Beside that the
// JSON is ProtoJSON's, with two differences: 64-bit integers are written as numbers
// with all their digits (and read as numbers or strings, never through a double),
// and a field mask holds the protos' names. A field without presence is written
// where it is zero, too: `"allowed":false` says more than nothing.
//
// A schema (JSON Schema 2020-12) holds what the descriptors tell: comments, enums,
// oneofs, required fields (proto2, google.api.field_behavior, protovalidate and its
// predecessor protoc-gen-validate), and the bounds of the two validators. Options
// are read from their encoding, so that nothing needs to be linked in.
//
// Everything here is pure and safe for concurrent use.
package methods
