import { parentPort, workerData } from "node:worker_threads";
import { DestinationPackage } from "../package/destination-package.js";
import { CallTime } from "./call-time.js";
import type { ThreadData, ThreadNote, ThreadRequest } from "./calls.js";
import { callsOf } from "./calls-of.js";
import { DestinationRunner } from "./destination-runner.js";
import { hideInReason } from "./hide-secrets.js";
import { outcomeOfError } from "./outcome-of-error.js";

/** What a thread of a destination runs. Its caller has guarded the connections of the thread before. */
export function enterThread(): void {
  const port = parentPort;
  if (!port) throw new Error("This runs in a thread.");
  const { folder, destination, memoryMb } = workerData as ThreadData;
  const tell = (note: ThreadNote) => port.postMessage(note);
  const runner = new DestinationRunner(new DestinationPackage(folder), destination, (connectorId, tokens) =>
    tell({ kind: "tokens", connectorId, tokens }),
  );
  const calls = callsOf(runner);
  port.on("message", (request: ThreadRequest) => void answer(calls, request, tell));
  watchBuffers(memoryMb);
}

async function answer(
  calls: ReturnType<typeof callsOf>,
  { id, name, input, callMs }: ThreadRequest,
  tell: (note: ThreadNote) => void,
): Promise<void> {
  try {
    // The name and the input of a request belong together, which the union of all calls does not say.
    const call = calls[name] as (input: unknown, time: CallTime) => Promise<unknown>;
    tell({ kind: "answer", id, output: await call(input, new CallTime(callMs)) });
  } catch (error) {
    const { reason = "", ...outcome } = outcomeOfError(error, Date.now());
    const secrets = "secrets" in input.account ? input.account.secrets : [];
    tell({ kind: "failure", id, outcome: { ...outcome, reason: hideInReason(reason, secrets) } });
  }
}

const LOOK_MS = 100;

/** Node limits the heap of a thread, and not its buffers. A service whose answer never ends fills these. */
function watchBuffers(memoryMb: number): void {
  setInterval(() => {
    // Nothing catches it, so it ends the thread.
    if (process.memoryUsage().arrayBuffers > memoryMb * 1024 * 1024) throw new Error("It has used up its memory.");
  }, LOOK_MS).unref();
}
