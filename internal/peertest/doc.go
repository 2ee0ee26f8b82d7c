// Package peertest starts servers that nobody here wrote, for tests that must
// not only meet our own idea of an upstream: stripe-mock, a program that
// `make peers` builds at a pinned version, and go-httpbin, served in the test's
// own process. Each stands on a free loopback port for one test and goes with it.
package peertest
