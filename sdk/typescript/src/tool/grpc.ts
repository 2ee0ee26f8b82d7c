import { clone, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type ToolError, ToolErrorSchema } from "toolgate-proto/toolgate/v1/tool_error_pb";

import { cut } from "./bounded.js";
import type { ToolFailure } from "./failure.js";

const DETAIL_BYTES = 4096; // what every client's trailers hold
const STATUS_MESSAGE_BYTES = 128;

const CODES: Partial<Record<number, Code>> = {
  400: Code.InvalidArgument,
  403: Code.PermissionDenied,
  422: Code.FailedPrecondition,
  429: Code.ResourceExhausted,
  503: Code.Unavailable,
};

/** The failure as a status with its detail, to be thrown in a service of Connect: `throw connectError(failure)`. */
export function connectError(failure: ToolFailure): ConnectError {
  const value = shortened(clone(ToolErrorSchema, failure.proto));
  const detail = { desc: ToolErrorSchema, value };
  const message = cut(value.message, STATUS_MESSAGE_BYTES);
  return new ConnectError(message, CODES[failure.status] ?? Code.Internal, undefined, [detail], failure);
}

/** Leaves out what is longest first, what the caller acts on last. */
function shortened(e: ToolError): ToolError {
  const tooLarge = () => toBinary(ToolErrorSchema, e).length > DETAIL_BYTES;
  if (tooLarge()) e.factsJson = "";
  if (tooLarge()) e.requestedJson = "";
  while (e.violations.length > 1 && tooLarge()) {
    e.violations.pop();
    e.violationsTruncated = true;
  }
  const [last] = e.violations;
  if (last && last.accepted.length > 0 && tooLarge()) {
    last.accepted = [];
    last.acceptedTruncated = true;
  }
  if (tooLarge()) {
    e.alternatives = [];
    e.alternativesTruncated = true;
  }
  return e;
}
