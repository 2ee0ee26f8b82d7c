// Package catalog reads what an operator wrote and compiles it into the tools of
// a gateway.
//
// The file is YAML in the form of toolgate.catalog.v1. It is refused as a whole
// where anything in it can't be right, with every fault found in one reading:
// file, line, column, what is wrong, what is accepted, and for a misspelt name
// the nearest one. What is compiled is compiled then: schemas, URL templates,
// CEL expressions, secrets. A Catalog never changes afterwards.
//
// Schemas and the arguments of fallbacks are taken from the YAML as JSON text,
// digit for digit and in the order of their keys. Anchors, aliases and merge
// keys work everywhere. Enum values are their short lower-case names; their full
// names and lowerCamelCase keys, which is how protobuf writes JSON, are accepted
// too.
//
// A secret is `env:NAME` or `file:PATH` (relative to the catalogue's folder),
// read once per load. Its value stands in requests and, for redaction, in
// DiagnosisHint.Secrets, and in no error.
package catalog
