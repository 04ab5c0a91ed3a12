import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { BufferedPart } from "../pipeline/accept/batch-buffer.js";
import type { PipelineWork, WorkEvents } from "../pipeline/pipeline-work.js";
import type { Config } from "../runtime/config.js";
import type { Metrics } from "../runtime/metrics.js";
import { ThreadCalls } from "../runtime/thread-calls.js";
import { threadLines } from "../runtime/thread-log.js";
import type { Questions } from "../storage/questions/questions.js";
import { threadedQuestions } from "../storage/questions/threaded/threaded-questions.js";
import type { MainThreadCalls, PipelineThreadCalls, PipelineThreadSettings } from "./pipeline-thread-calls.js";

const START = new URL("./pipeline-thread.js", import.meta.url);
/** Most objects of a micro-batch die young. Three semi-spaces of 64 MB, as the main thread has them. */
const YOUNG_GENERATION_MB = 192;

export interface PipelineThreadOptions {
  logger: Logger;
  metrics: Metrics;
  /** Called when the thread has ended by itself. Nothing that it owned can be used any more. */
  onFailed(error: unknown): void;
}

/** The pipeline thread, as the main thread sees it. */
export interface PipelineThread {
  /** Opens the engines of the thread. Returns the embedded question engine; undefined with CLICKHOUSE_URL. */
  open(settings: Omit<PipelineThreadSettings, "questionsPort">): Promise<Questions | undefined>;
  /** The stages in the thread. `onQueued` is called once messages wait for connectors. */
  work(events: WorkEvents, onQueued: (connectorIds: readonly string[]) => void): PipelineWork;
  refreshConnectors(): Promise<void>;
  setReadOnly(isReadOnly: boolean): void;
  /** Closes the engines of the thread, and ends it. Further calls do nothing. */
  close(): Promise<void>;
}

/** Whether this process runs the pipeline in a thread of its own. The sources have no file that a thread could run. */
export function hasPipelineThread({ roles, pipelineThread }: Config): boolean {
  const isWanted = pipelineThread ?? availableParallelism() > 1;
  return isWanted && roles.includes("worker") && existsSync(fileURLToPath(START));
}

/** Starts the thread. It loads its code while the caller goes on. */
export function startPipelineThread(
  { logLevel }: Pick<Config, "logLevel">,
  { logger, metrics, onFailed }: PipelineThreadOptions,
): PipelineThread {
  const worker = new Worker(START, {
    name: "pipeline",
    workerData: { logLevel },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  let isClosing = false;
  worker.on("error", onFailed);
  worker.on("exit", (code) => {
    if (!isClosing) onFailed(new Error(`The pipeline thread has ended with code ${code}.`));
  });
  const ignore = () => {};
  const own: MainThreadCalls = {
    log: threadLines(logger),
    onProjected: ignore,
    onRejected: ignore,
    onQueued: ignore,
  };
  const thread = new ThreadCalls<PipelineThreadCalls>(worker, own);
  let isReadOnly = false;
  return {
    async open(settings) {
      const channel = settings.config.clickhouseUrl === undefined ? new MessageChannel() : undefined;
      const threadId = await thread.ask(
        "open",
        [{ ...settings, questionsPort: channel?.port1 }],
        channel ? [channel.port1] : [],
      );
      metrics.threadTimes.add("pipeline", threadId);
      metrics.scrapes.addThread(() => thread.ask("readMetrics", []));
      return channel && threadedQuestions(channel.port2);
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
    async close() {
      if (isClosing) return;
      isClosing = true;
      await thread.ask("close", []);
      await worker.terminate();
    },
  };
}

/**
 * Gives the rows to the thread. They are copied first, because a packed row is in memory of the compressor, which cannot
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
