import type { MessagePort } from "node:worker_threads";
import type { PipelineWork, WorkEvents } from "../pipeline/pipeline-work.js";
import type { Config } from "../runtime/config.js";
import type { ThreadMetrics } from "../runtime/thread-metrics.js";

/** What the pipeline thread needs to open its engines. */
export interface PipelineThreadSettings {
  config: Config;
  databaseUrl: string;
  secretKey: string;
  /** Names this process and the one that replaces it. */
  workerId: string;
  /** Where the other threads ask the embedded question engine; undefined with CLICKHOUSE_URL. */
  questionsPort: MessagePort | undefined;
}

/** What the main thread calls on the pipeline thread. */
export interface PipelineThreadCalls extends PipelineWork {
  /** Opens the engines. Returns the number by which the system knows the thread. */
  open(settings: PipelineThreadSettings): Promise<number | undefined>;
  /** Closes the engines, after `stop`. */
  close(): Promise<void>;
  /** Reads the connectors again. */
  refreshConnectors(): Promise<void>;
  /** Refuses writes to the database from now on, or accepts them again. */
  setReadOnly(isReadOnly: boolean): void;
  readMetrics(): Promise<ThreadMetrics>;
}

/** What the pipeline thread calls on the main thread. */
export interface MainThreadCalls extends WorkEvents {
  log(line: string): void;
  /** Messages wait in the queues of these connectors. */
  onQueued(connectorIds: readonly string[]): void;
}
