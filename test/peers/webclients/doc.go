// Package webclients has clients that nobody here wrote call the gateway as web pages
// do: Connect and gRPC-Web of @connectrpc/connect-web.
package webclients
