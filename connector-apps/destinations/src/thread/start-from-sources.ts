import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a thread whose code is a source file in TypeScript. Programs in a bundle have no sources, and start the built file. */
export function startFromSources(file: URL, options: Pick<WorkerOptions, "workerData" | "resourceLimits">): Worker {
  // Node 20 does not let a loader see the first file of a thread.
  const code = `import("tsx/esm/api").then(({ register }) => (register(), import(${JSON.stringify(file.href)})))`;
  return new Worker(code, { ...options, eval: true, execArgv: ["--conditions=@muster/source"] });
}
