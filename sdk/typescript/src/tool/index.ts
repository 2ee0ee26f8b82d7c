/**
 * For whoever writes the tools that a gateway calls. The best place to say what a failure means is
 * the tool itself, in one line:
 *
 *     throw invalidRequest("bad_date", "start_date is no date", { field: "start_date", format: "YYYY-MM-DD" });
 *     throw terminal("insufficient_funds", "42.10 is less than 150.00", { blockedBy: "balance" });
 *     throw transient("maintenance", "back in half a minute", { retryAfterMs: 30_000 });
 *
 * `toolErrors` answers with them in Express, `fastifyErrors` in Fastify, `answer` on a plain
 * node:http server, `connectError` in a gRPC service of Connect. The gateway takes the tool's word
 * where the upstream is marked `speaks: toolgate` in the catalogue, or, over gRPC, always.
 *
 * @packageDocumentation
 */

export {
  type Details,
  type Faults,
  forbidden,
  invalidRequest,
  type Problem,
  type Proposal,
  rateLimited,
  terminal,
  ToolFailure,
  transient,
} from "./failure.js";
export { connectError } from "./grpc.js";
export { answer, fastifyErrors, toolErrors } from "./http.js";
