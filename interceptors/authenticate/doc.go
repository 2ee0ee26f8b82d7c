// Package authenticate finds out who calls, for every rpc and its stream twin.
//
// Place: behind observe (a refused caller is still counted), before admit (a
// stranger takes no place). It refuses with UNAUTHENTICATED, made by the identity
// function that it is given: CREDENTIAL_MISSING, CREDENTIAL_INVALID,
// CREDENTIAL_EXPIRED; with PERMISSION_DENIED (NO_RIGHTS) who is known and may do
// nothing; and with UNAVAILABLE whoever can't be told from a stranger right now.
// gRPC's health service is for everybody: a probe has no credential, and learns
// nothing but that the process is up. Without an identity function that knows
// better it is Nobody's: every caller is `anonymous`.
package authenticate
