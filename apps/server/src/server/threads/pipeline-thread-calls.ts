import type { MessagePort } from "node:worker_threads";
import type { PipelineWork, WorkEvents } from "../../pipeline/pipeline-work.js";
import type { Config } from "../../runtime/settings/config.js";
import type { CommonMainCalls } from "../../runtime/threads/common-calls.js";

/** What the pipeline thread needs to open its engines. */
export interface PipelineThreadSettings {
  config: Config;
  databaseUrl: string;
  secretKey: string;
  /** Names this process and the one that replaces it. */
  workerId: string;
  /** The id under which it holds leases, and the memory it shares with the main thread, which renews them too. */
  holderId: string;
  renewal: SharedArrayBuffer;
  /** Where the thread asks the embedded question engine; undefined with CLICKHOUSE_URL. */
  questionsPort: MessagePort | undefined;
}

/** What the main thread calls on the pipeline thread. */
export interface PipelineThreadCalls extends PipelineWork {
  /** Opens the engines. */
  open(settings: PipelineThreadSettings): Promise<void>;
  /** Reads the connectors again. */
  refreshConnectors(): Promise<void>;
  /** Refuses writes to the database from now on, or accepts them again. */
  setReadOnly(isReadOnly: boolean): void;
}

/** What the pipeline thread calls on the main thread. */
export interface MainCallsOfPipeline extends CommonMainCalls, WorkEvents {
  /** Messages wait in the queues of these connectors. */
  onQueued(connectorIds: readonly string[]): void;
}
