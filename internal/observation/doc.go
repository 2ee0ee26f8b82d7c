// Package observation gives a ToolError its final form: Finish makes it obey
// every bound and invariant of the contract and renders `observation`, the text
// for the transcript; Fit bounds a ToolResult.
//
// It is pure: it knows no call, no clock and no transport, and finishing twice
// changes nothing. It bounds and renders; what must not leave is removed by
// internal/redact before.
package observation
