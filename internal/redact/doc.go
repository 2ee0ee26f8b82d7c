// Package redact turns text from strangers into text that may be shown: it
// removes what must not leave (secrets, internal hosts and paths, identifiers
// and personal data that the caller did not send) and what nobody can act on
// (stack frames, SQL, markup, banners), and keeps the facts.
//
// It is pure and safe for concurrent use. What is removed leaves a short
// placeholder in square brackets where the sentence needs one. Redacting twice
// changes nothing.
package redact
