import { parentPort } from "node:worker_threads";
import { runInEngine } from "./engine/run-in-engine.js";
import { ownSystemId } from "./threads/clock.js";
import type { ScriptTask, ThreadReady } from "./threads/thread-messages.js";

// The start of a thread that runs one script at a time.

if (!parentPort) throw new Error("This file is the start of a thread.");
const main = parentPort;
const systemId = ownSystemId();
// The first script takes longer, because WebAssembly is compiled when it is first used.
await runInEngine(
  { code: "traits({ a: 1 }); throw new Error()", input: "{}", timeMs: 1_000, memoryBytes: 2 ** 24 },
  systemId,
);
main.on("message", async (task: ScriptTask) => main.postMessage(await runInEngine(task, systemId)));
const ready: ThreadReady = { systemId };
main.postMessage(ready);
