// Package rawjson reads JSON texts (RFC 8259) in place: it finds members, items
// and pointed-at values as slices of the text, so that no digit is lost, no key
// order changes and no tree is built.
//
// Every function expects text that encoding/json calls valid. Of other text the
// answers mean nothing, but nothing panics and nothing runs forever. All
// functions are pure and safe for concurrent use; returned slices share the
// memory of their argument and must not be written to.
package rawjson
