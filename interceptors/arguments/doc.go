// Package arguments lets no call pass whose arguments its tool would refuse.
//
// Place: inside limits, so that a text that is too large is never parsed, and
// outside repeat, which tells calls apart by the canonical arguments that are
// found here. It never touches the provider.
//
// It answers with
//
//   - malformed_json, invalid_request: arguments_json is not JSON; where and what
//     was expected there.
//   - invalid_arguments, invalid_request: the arguments break the tool's schema
//     and no coercion with one reading mends all of it; every fault at once.
//   - unknown_tool, invalid_request: there is no tool of that name, or none that
//     this caller may use (the answers are the same); the nearest names that it
//     may use [3].
//
// All three count as rejections by the tool. What was coerced is listed in the
// result of a call that succeeds.
package arguments
