import { createHook } from "node:async_hooks";

const SHORTEST_MS = 10; // what is shorter is scheduling

/** Counts from now on how long this program slept: its timers that ran out, but those of idle sockets. */
export function asleep(): { seconds(): number } {
  const timers = new Map<number, NodeJS.Timeout & { _idleTimeout: number }>();
  let slept = 0;
  const hook = createHook({
    init(id, type, _trigger, timer) {
      if (type === "Timeout") timers.set(id, timer as NodeJS.Timeout & { _idleTimeout: number });
    },
    before(id) {
      const timer = timers.get(id);
      timers.delete(id);
      if (timer?.hasRef() && timer._idleTimeout >= SHORTEST_MS) slept += timer._idleTimeout;
    },
  }).enable();
  return {
    seconds() {
      hook.disable();
      return slept / 1000;
    },
  };
}
