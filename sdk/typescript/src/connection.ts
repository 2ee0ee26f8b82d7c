import type { SecureContextOptions } from "node:tls";

import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { Transport } from "@connectrpc/connect";

/**
 * False: not encrypted. True: the system's authorities. Text or bytes: PEM certificates to trust.
 * Or Node's own options, for example with a certificate of the client's.
 */
export type TLS = boolean | string | Uint8Array | SecureContextOptions;

/** A connection that is gone without a word is noticed by the next ping, and calls on it fail. */
const PINGS = { pingIntervalMs: 30_000 };

const HOST_PORT = /^(\[[0-9a-f:.]+\]|[\w.-]+):\d+$/i;

/** One HTTP/2 connection to `host:port`, made by the first call. Nothing here sends a call twice. */
export function connection(target: string, tls: TLS): [Transport, Http2SessionManager] {
  if (!HOST_PORT.test(target)) throw new TypeError(`${target} is not host:port`);
  const baseUrl = `${tls === false ? "http" : "https"}://${target}`;
  const sessionManager = new Http2SessionManager(baseUrl, PINGS, secrets(tls));
  return [createGrpcTransport({ baseUrl, sessionManager }), sessionManager];
}

function secrets(tls: TLS): SecureContextOptions {
  if (typeof tls === "boolean") return {};
  if (typeof tls === "string") return { ca: tls };
  return tls instanceof Uint8Array ? { ca: Buffer.from(tls) } : tls;
}

/** An abort signal for the time of one rpc: it follows the caller's, and aborts when the rpc is left. */
export class Leash implements Disposable {
  readonly #controller = new AbortController();
  readonly #follow = () => {
    this.#controller.abort(this.followed?.reason);
  };

  constructor(readonly followed?: AbortSignal) {
    followed?.throwIfAborted();
    followed?.addEventListener("abort", this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.followed?.removeEventListener("abort", this.#follow);
    this.#controller.abort();
  }
}
