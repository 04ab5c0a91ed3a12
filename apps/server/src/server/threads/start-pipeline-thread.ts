import { availableParallelism } from "node:os";
import type { BufferedPart } from "../../pipeline/buffers/batch-buffer.js";
import type { PipelineWork, WorkEvents } from "../../pipeline/pipeline-work.js";
import type { Config } from "../../runtime/settings/config.js";
import type { CommonMainCalls } from "../../runtime/threads/common-calls.js";
import type { ThreadCalls } from "../../runtime/threads/thread-calls.js";
import { isBuilt, type Threads } from "../../runtime/threads/threads.js";
import type { MainCallsOfPipeline, PipelineThreadCalls, PipelineThreadSettings } from "./pipeline-thread-calls.js";

const KIND = {
  name: "pipeline",
  start: new URL("./pipeline-thread.js", import.meta.url),
  // Most objects of a micro-batch die young. Three semi-spaces of 16 MB: larger ones made nothing faster, and with 64 MB
  // here and 32 MB in the question thread the server kept 170 MB more after an import of 150,000 users.
  limits: { maxYoungGenerationSizeMb: 48 },
};

export interface PipelineThreadOptions {
  threads: Threads;
  /** Called when the thread has ended by itself. */
  onFailed(error: unknown, thread: string): void;
}

/** The pipeline thread, as the main thread sees it. */
export interface PipelineThread {
  /** Opens the engines of the thread. */
  open(settings: PipelineThreadSettings): Promise<void>;
  /** The stages in the thread. `onQueued` is called once messages wait for connectors. */
  work(events: WorkEvents, onQueued: (connectorIds: readonly string[]) => void): PipelineWork;
  refreshConnectors(): Promise<void>;
  setReadOnly(isReadOnly: boolean): void;
  /** Closes the engines of the thread, and ends it. Further calls do nothing. */
  close(): Promise<void>;
}

/** Whether this process runs the pipeline in a thread of its own. */
export function hasPipelineThread({ roles, pipelineThread }: Config): boolean {
  const isWanted = pipelineThread ?? availableParallelism() > 1;
  return isWanted && roles.includes("worker") && isBuilt(KIND.start);
}

/** Starts the thread. It loads its code while the caller goes on. */
export function startPipelineThread({ threads, onFailed }: PipelineThreadOptions): PipelineThread {
  const ignore = () => {};
  const own: Omit<MainCallsOfPipeline, keyof CommonMainCalls> = {
    onProjected: ignore,
    onRejected: ignore,
    onQueued: ignore,
  };
  const started = threads.start<PipelineThreadCalls>(KIND, { own, onFailed: (error) => onFailed(error, KIND.name) });
  const { calls: thread } = started;
  let isReadOnly = false;
  return {
    async open(settings) {
      const { questionsPort } = settings;
      await thread.ask("open", [settings], questionsPort ? [questionsPort] : []);
    },
    work(events, onQueued) {
      Object.assign(own, events, { onQueued });
      return {
        start: () => thread.ask("start", []),
        stop: () => thread.ask("stop", []),
        appended: (organizationId, parts) => giveParts(thread, organizationId, parts),
        catchUpSoon: (organizationId) => thread.tell("catchUpSoon", [organizationId]),
        sweepSoon: (organizationId) => thread.tell("sweepSoon", [organizationId]),
        setWatched: (organizationId, isWatched) => thread.tell("setWatched", [organizationId, isWatched]),
      };
    },
    refreshConnectors: () => thread.ask("refreshConnectors", []),
    setReadOnly(value) {
      if (value === isReadOnly) return;
      isReadOnly = value;
      thread.tell("setReadOnly", [value]);
    },
    close: () => started.close(),
  };
}

/**
 * Gives the rows to the thread. They are copied first, because a compressed row is in memory of the compressor, which cannot
 * be given away, or shares its memory with others.
 */
function giveParts(
  thread: ThreadCalls<PipelineThreadCalls>,
  organizationId: string,
  parts: readonly BufferedPart[],
): void {
  const copies = parts.map(({ batch }) => Buffer.from(new Uint8Array(batch.payload).buffer));
  const given = parts.map(({ lane, batch }, index) => ({ lane, batch: { ...batch, payload: copies[index]! } }));
  const buffers = copies.map(({ buffer }) => buffer);
  thread.tell("appended", [organizationId, given], buffers);
}
