// Package openapi reads OpenAPI documents (3.0 and 3.1) and describes each of
// their operations as a tool of a catalogue.
//
// Whoever wrote the document did not write it for a model. What comes of it is: a
// name that every runtime takes, a description of a sentence or two, and one JSON
// Schema (draft 2020-12) for all arguments, with the parameters and the members of
// the body side by side, complete in itself and bounded in size. A schema that is
// too large is cut from its leaves upwards, and only ever made looser: what the
// document accepts the schema accepts.
//
// A document is read in place: its text is kept as JSON, an operation is looked at
// when it is described, and no digit is decoded on the way. What is wrong with one
// operation leaves that operation out, with a reason, and touches no other.
//
// References lead within the document, and to files that the reader was given a
// way to open (WithFiles). Nothing is ever fetched: a reference to an address
// stands for anything in a schema, and leaves the operation out elsewhere.
//
// Default numbers: a document of 32 MiB, of which the aliases of its YAML may make
// twice as much and 4 MiB; 64 files; a schema of 8 KiB and 16 levels; 20,000 operations.
//
// A Document is safe for concurrent use.
package openapi
