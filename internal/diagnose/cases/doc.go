// Package cases reads recorded failures, one JSON object per line, and makes of
// each what the diagnosis needs: `toolgate explain failure --cases` and the
// tests play them. Of a case only id, transport, request (method, host,
// provider, arguments), response and network_error are read.
package cases
