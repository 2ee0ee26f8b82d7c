/**
 * For whoever writes the tools that a gateway calls. The best place to say what a failure means is
 * the tool itself, in one line, over HTTP and over gRPC the same:
 *
 * <pre>{@code
 * throw invalidRequest("bad_date", "start_date is no date", Problem.at("start_date").format("YYYY-MM-DD"));
 * throw terminal("insufficient_funds", "42.10 is less than 150.00").blockedBy("balance", "request_deposit");
 * throw transientFailure("maintenance", "back in half a minute", Duration.ofSeconds(30));
 * }</pre>
 *
 * <p>A Spring Boot application answers with them once this library is on its class path
 * ({@link dev.toolgate.tool.spring}), a gRPC server through {@link
 * dev.toolgate.tool.ToolFailureInterceptor}; any other HTTP server writes status, headers and body
 * of the failure. The gateway takes the tool's word where the upstream is marked {@code speaks:
 * toolgate} in the catalogue, or, over gRPC, always.
 */
package dev.toolgate.tool;
