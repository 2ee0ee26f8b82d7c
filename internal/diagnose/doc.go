// Package diagnose says whose fault a failure is: a raw reply in, a ToolError
// out, redacted, with a verdict for the rooms. It is the one place that knows
// codes; no room keeps a list of its own.
//
// The ladder (ladder.go), first that speaks wins: the upstream's own ToolError
// (upstream.go), the tool's rules, verdict headers, the provider's vocabulary
// (provider.go; the data is under vocabularies/, the format in
// docs/vocabularies.md), the envelope (envelope_*.go), a wait hint (wait*.go),
// the status (status_table.go) or the transport (transport.go). What code,
// message, fields (field*.go, violations.go) and facts are is read apart from
// the class. "Safety of repetition" comes last (safety.go).
//
// A 2xx is a success unless a rule, the vocabulary, or a shape that nothing but
// an error has says otherwise; without a sign of that its body is not parsed
// (success.go, deserve.go, hidden.go).
//
// It is pure: no clock, no I/O, safe for concurrent use.
package diagnose
