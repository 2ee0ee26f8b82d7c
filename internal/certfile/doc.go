// Package certfile reads certificates from PEM files, and tells when a file holds
// something else than it did. Every side that speaks TLS reads its files here.
package certfile
