// Package tracing makes the spans of a gateway: OpenTelemetry, exported over
// OTLP, configured by the usual environment variables.
//
// A trace of one call reads from the outside in:
//
//	toolgate.v1.ToolGatewayService/CallTool   SERVER    the rpc, by otelgrpc
//	  execute_tool list_invoices              INTERNAL  the call, whatever the rooms did for it
//	    GET /invoices/{id}                    CLIENT    one attempt; its traceparent goes upstream
//	    GET /invoices/{id}                    CLIENT    the next one
//
// A tool's failure rides on an OK reply, so that the rpc's span shows no error:
// the call's and the attempts' do, with class and code. Waits between attempts
// and in queues are events of the call's span.
//
// A span holds nothing raw: no argument, no result, no message of an upstream, no
// header, no query, no user-info. What stands in a URL's path in the place of an
// argument is written REDACTED. A tool's name that is none of the catalogue's is
// written unknown_tool.
//
// Semantic conventions: RPC and HTTP client spans, and `execute_tool` of the
// generative AI ones, all of version 1.41; the attributes of our own begin with
// `toolgate.`. docs/tracing.md lists them.
//
// Without a provider there is no span, no interceptor and no header.
package tracing
