// Package curl holds the test that runs the curl commands of the manual, as they
// stand there, against a gateway.
package curl
