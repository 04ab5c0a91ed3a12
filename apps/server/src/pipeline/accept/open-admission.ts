import { availableParallelism } from "node:os";
import type { Brand } from "@muster/protocol";
import { isBuilt, type Threads } from "../../runtime/threads/threads.js";
import { type AdmittedBody, BodyAdmission, type BodyContext } from "./admit-body.js";
import { AdmissionThreads } from "./threads/admission-threads.js";

/** Reads the bodies of gateway batches, on this thread or on others. */
export interface AdmissionPort {
  /** The bytes of the body may be transferred to another thread. */
  admit(organizationId: string, body: Buffer, context: BodyContext): Promise<AdmittedBody>;
  /** Starts the threads ahead of time, so that the first body need not wait for them. */
  start(): void;
  close(): Promise<void>;
}

export interface AdmissionOptions {
  brand: Brand;
  maxEntries: number;
  /** Undefined means by the number of processors, 0 means on this thread. */
  count: number | undefined;
  threads: Threads;
}

const START = new URL("./threads/admission-thread.js", import.meta.url);
const MOST_BY_DEFAULT = 4;

export function openAdmission(options: AdmissionOptions): AdmissionPort {
  const { brand, maxEntries, threads } = options;
  const limits = { maxEntries };
  const count = options.count ?? defaultCount(availableParallelism());
  if (count > 0 && isBuilt(START)) {
    return new AdmissionThreads({ threads, count, start: START, data: { brandWord: brand.word, limits } });
  }
  const admission = new BodyAdmission(brand, limits);
  return {
    admit: (_organizationId, body, context) => admission.admit(body, context),
    start() {},
    async close() {},
  };
}

/** Half of the processors, because the other stages and PostgreSQL need some too. None when there is only one. */
export function defaultCount(processors: number): number {
  return Math.min(Math.floor(processors / 2), MOST_BY_DEFAULT);
}
