import { parentPort, workerData } from "node:worker_threads";
import { DestinationPackage } from "../package/destination-package.js";
import type { ThreadData, ThreadNote, ThreadRequest } from "./calls.js";
import { callsOf } from "./calls-of.js";
import { DestinationRunner } from "./destination-runner.js";
import { outcomeOfError } from "./outcome-of-error.js";

/** What a thread of a destination runs. Its caller has guarded the connections of the thread before. */
export function enterThread(): void {
  const port = parentPort;
  if (!port) throw new Error("This runs in a thread.");
  const { folder, destination } = workerData as ThreadData;
  const tell = (note: ThreadNote) => port.postMessage(note);
  const runner = new DestinationRunner(new DestinationPackage(folder), destination, (connectorId, tokens) =>
    tell({ kind: "tokens", connectorId, tokens }),
  );
  const calls = callsOf(runner);
  port.on("message", (request: ThreadRequest) => void answer(calls, request, tell));
}

async function answer(
  calls: ReturnType<typeof callsOf>,
  { id, name, input }: ThreadRequest,
  tell: (note: ThreadNote) => void,
): Promise<void> {
  try {
    // The name and the input of a request belong together, which the union of all calls does not say.
    const call = calls[name] as (input: unknown) => Promise<unknown>;
    tell({ kind: "answer", id, output: await call(input) });
  } catch (error) {
    tell({ kind: "failure", id, outcome: outcomeOfError(error, Date.now()) });
  }
}
