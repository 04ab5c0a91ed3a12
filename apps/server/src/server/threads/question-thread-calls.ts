import type { MessagePort } from "node:worker_threads";
import type { Config } from "../../runtime/settings/config.js";
import type { CommonMainCalls } from "../../runtime/threads/common-calls.js";

/** What the main thread calls on the question thread. */
export interface QuestionThreadCalls {
  /** Opens the engine, which answers at these ports. */
  open(config: Config, ports: readonly MessagePort[]): Promise<void>;
}

/** What the question thread calls on the main thread. */
export interface MainCallsOfQuestions extends CommonMainCalls {
  /** The engine opens what it holds of an organization, which may be out of date. */
  onOpened(organizationId: string): void;
}
