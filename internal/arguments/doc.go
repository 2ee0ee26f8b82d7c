// Package arguments judges the text that a model wrote for a tool's arguments.
//
// Compile reads a tool's JSON Schema (draft 2020-12 unless it names another
// draft; formats asserted; nothing is loaded from anywhere). Check then answers
// one of three things:
//
//   - the arguments are valid: they go on byte for byte as they came;
//   - they are not, but every fault has one reading only: they are coerced
//     towards the schema at that place, all or nothing, validated again, and
//     what changed is returned;
//   - anything else: one complete INVALID_REQUEST with every fault at once,
//     reported from the arguments as they stand after the coercions that would
//     have been possible. Nothing is changed then.
//
// The judge of validity is santhosh-tekuri/jsonschema. In front of it stands a
// walk over the canonical bytes that answers "certainly valid" or "don't know"
// without building a tree; a call that it knows costs one pass to canonicalise,
// one hash and one walk.
//
// The canonical form (keys sorted, escapes unified, numbers as exact decimals)
// makes two calls identical: see KeyOf.
//
// Everything here is pure and safe for concurrent use.
package arguments
