// Package openapi imports large public OpenAPI documents that nobody here wrote, and
// calls what they describe: every operation of Stripe against stripe-mock, which
// holds each request against the document, and every operation of the others
// against a server that holds it against the document with another reader of
// OpenAPI.
package openapi
