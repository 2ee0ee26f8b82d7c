/**
 * The client of a toolgate gateway.
 *
 * A call ends in one of two ways: a `Result`, or an error. A `ToolCallError` is the tool's
 * failure, and its `errorClass` says what to do next:
 *
 * - `transient`: the moment is wrong. Wait `retryAfterMs`, send the identical call
 *   (`waitTransient` does both). Show the model nothing until you give up.
 * - `invalid_request`: the arguments are wrong. Give `observation` to the model.
 * - `terminal`: this call is over. Give `observation` to the model.
 *
 * A `GatewayError` is never the tool's fault: the gateway, the network or this program is.
 *
 * The gateway retries what time cures, so nothing here does.
 *
 * @packageDocumentation
 */

export { type Arguments, type Call, type CallExtras, type Outcome, type Progress, Result } from "./call.js";
export {
  type Abortable,
  Client,
  type ClientOptions,
  type EndOptions,
  type ManyOptions,
  type Options,
  type WaitOptions,
} from "./client.js";
export type { TLS } from "./connection.js";
export {
  type Alternative,
  type ErrorClass,
  GatewayError,
  type GatewayErrorDetails,
  type StatusCode,
  ToolCallError,
  type Violation,
} from "./errors.js";
export { Run } from "./run.js";
export { type Schema, ToolList } from "./tools.js";
