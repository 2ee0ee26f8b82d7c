// Package rest is the door for whoever has nothing but HTTP: the service of the
// contract as JSON.
//
//	POST   /v1/tools/{tool}:call   one call; server-sent events where they are accepted
//	POST   /v1/tools:callBatch     a model's parallel calls of one turn, likewise
//	GET    /v1/tools               the tools, with an ETag
//	GET    /v1/runs/{run}          what is remembered of a run
//	POST   /v1/runs/{run}:end      ends it; so does DELETE /v1/runs/{run}
//	GET    /v1/report              failures since the start
//	GET    /openapi.json           all of this, for machines
//
// A result is 200. A tool's failure has the status of its error (429 or 503, 400,
// 422 or 403), Retry-After where time cures it, and the observation as its body:
// `application/json`. What is the caller's or the gateway's own fault is a problem
// of RFC 9457, `application/problem+json`, whose `reason` is that of gRPC's
// ErrorInfo.
//
// JSON that the door carries stays the text that it was: digits and the order of
// keys survive in arguments and results. Names are written as in the protos.
//
// Refused, each with a reason: bodies over 32 MiB (BODY_TOO_LARGE), that come too
// slowly (BODY_TOO_SLOW) or are cut (BODY_CUT), no JSON object (MALFORMED_BODY), of
// another media type (UNSUPPORTED_MEDIA_TYPE, which also keeps web forms out),
// fields that nobody knows (UNKNOWN_FIELD) or twice (DUPLICATE_FIELD), values of
// the wrong type (INVALID_FIELD), paths and methods that are not there
// (NO_SUCH_PATH, METHOD_NOT_ALLOWED). Too large arguments alone are an
// invalid_request, in-band.
package rest
