// Package access says who calls, by the credential that is shown, and what the
// caller may do: the access file, compiled. It knows nothing of how a credential
// arrived.
//
// A credential is an API key, a token (JWT) or a certificate; the one that is shown
// decides, and a wrong one is never made up for by another. The principal that comes
// of it is a name: that of a principal of the file; `<issuer>/<claim>;<roles>` of a
// token that no principal lists; `cert/<name>;<roles>` of such a certificate. The
// roles are part of the name, so that what a run remembers is never seen with fewer
// rights than it was learnt with, and so that the name alone tells the rights.
//
// Of an API key the file holds its SHA-256, which is enough: a key has 256 random
// bits, and nobody guesses those. Default numbers: keys of an issuer are fetched
// every hour, at most once in 15 s, and hold for a day where they can't be; clocks
// may differ by 30 s; a token that was verified is not looked at again for a minute.
package access
