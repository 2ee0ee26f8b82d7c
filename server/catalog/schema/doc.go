// Package schema is the JSON Schema of a catalogue, and that of an access file, so
// that editors complete and check one while it is written.
//
// It is generated from the protos: names, types and enums from their
// descriptors, every description from their comments, what is required and what
// a default is from the words of these comments. What the loader checks beside
// that is put over it in limits.go. It is draft 7, which every editor knows.
//
// The loader stays the judge: what it accepts is valid here, unless it is written
// in protobuf's own spelling (lowerCamelCase keys, full enum names).
package schema

import _ "embed"

//go:embed catalog.schema.json
var text string

// JSON is the schema of a catalogue, indented.
func JSON() string { return text }

//go:embed access.schema.json
var access string

// Access is the schema of an access file, indented.
func Access() string { return access }
