// Package authenticate finds out who calls, for every rpc and its stream twin.
//
// Place: behind observe (a refused caller is still counted), before admit (a
// stranger takes no place). It refuses with UNAUTHENTICATED, made by the
// identity function that it is given. Until callers are authenticated that
// function is Nobody: every caller is `anonymous`.
package authenticate
