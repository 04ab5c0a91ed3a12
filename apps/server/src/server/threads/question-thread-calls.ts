import type { MessagePort } from "node:worker_threads";
import type { Config } from "../../runtime/config.js";
import type { CommonMainCalls, CommonThreadCalls } from "./common-calls.js";

/** What the main thread calls on the question thread. */
export interface QuestionThreadCalls extends CommonThreadCalls {
  /** Opens the engine, which answers at these ports. Returns the number by which the system knows the thread. */
  open(config: Config, ports: readonly MessagePort[]): Promise<number | undefined>;
}

/** What the question thread calls on the main thread. */
export interface MainCallsOfQuestions extends CommonMainCalls {
  /** The engine opens what it holds of an organization, which may be out of date. */
  onOpened(organizationId: string): void;
}
