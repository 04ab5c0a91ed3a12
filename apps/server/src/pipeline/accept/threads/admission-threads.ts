import { Refusal } from "@muster/protocol";
import { KeptThreads } from "../../../runtime/threads/kept-threads.js";
import { ownBytes } from "../../../runtime/threads/own-bytes.js";
import { type Thread, ThreadEnded, type ThreadKind, type Threads } from "../../../runtime/threads/threads.js";
import type { AdmittedBody, BodyContext } from "../admit-body.js";
import { type AdmissionCalls, type AdmissionThreadData, receiveBody } from "./thread-messages.js";
import { WaitingBodies, type WaitingItem } from "./waiting-bodies.js";

export interface AdmissionThreadsOptions extends Pick<ThreadKind, "start" | "execArgv"> {
  threads: Threads;
  count: number;
  data: AdmissionThreadData;
}

interface Job extends WaitingItem {
  body: Buffer;
  context: BodyContext;
  resolve(admitted: AdmittedBody): void;
  reject(error: unknown): void;
}

type AdmissionThread = Thread<AdmissionCalls>;

// Bodies in one thread take turns, so that a body that takes seconds delays no other body for long. Only a few of them may
// belong to one organization.
const JOBS_AT_ONCE = 8;
const JOBS_OF_ONE = 2;
const MAX_WAITING = { count: 1_000, bytes: 64 * 1024 * 1024 };
// Most objects die young: an entry is serialised as soon as it is checked. An entry has at most a megabyte.
const LIMITS = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 256 };

/**
 * Reads the bodies of gateway batches on threads of their own. The main thread acknowledges a batch afterwards, so a
 * failing thread loses nothing that was acknowledged: the senders of its bodies get an error that asks for a retry.
 */
export class AdmissionThreads {
  readonly #waiting = new WaitingBodies<Job>(MAX_WAITING);
  readonly #threads: KeptThreads<AdmissionCalls>;
  /** The bodies in each thread. */
  readonly #jobs = new WeakMap<AdmissionThread, Set<Job>>();

  constructor({ threads, count, data, ...program }: AdmissionThreadsOptions) {
    const kind = { ...program, name: "admission", limits: LIMITS };
    this.#threads = new KeptThreads({ threads, kind, data, count, onChange: () => this.#giveOut() });
  }

  /** Starts the threads. The first body starts them too. */
  start(): void {
    this.#threads.start();
  }

  /** Reads a body. Its bytes are given away. Refuses it when too many wait. */
  admit(organizationId: string, body: Buffer, context: BodyContext): Promise<AdmittedBody> {
    this.start();
    return new Promise((resolve, reject) => {
      const job = { organizationId, bytes: body.length, body, context, resolve, reject };
      for (const dropped of this.#waiting.add(job)) {
        dropped.reject(new Refusal("unavailable", "Too much is waiting to be checked.", { retryAfter: 2 }));
      }
      this.#giveOut();
    });
  }

  /** Ends the threads. Bodies that are still in them, or wait for them, are refused. */
  async close(): Promise<void> {
    await this.#threads.end();
    this.#giveOut();
  }

  /** Gives waiting bodies to threads that have room. Refuses them when no thread runs. */
  #giveOut(): void {
    const { running } = this.#threads;
    if (running.length === 0) for (const job of this.#waiting.clear()) job.reject(tryAgain());
    while (this.#giveOne(running));
  }

  /** Gives one body to the thread with the fewest that may take one. Returns false when none may. */
  #giveOne(running: readonly AdmissionThread[]): boolean {
    const free = running.map((thread) => ({ thread, jobs: this.#jobsIn(thread) }));
    const byCount = free.filter(({ jobs }) => jobs.size < JOBS_AT_ONCE).sort((a, b) => a.jobs.size - b.jobs.size);
    for (const { thread, jobs } of byCount) {
      const job = this.#waiting.take((organizationId) => countOf(jobs, organizationId) < JOBS_OF_ONE);
      if (!job) continue;
      jobs.add(job);
      void this.#admitOn(thread, job).finally(() => {
        jobs.delete(job);
        this.#giveOut();
      });
      return true;
    }
    return false;
  }

  async #admitOn({ calls }: AdmissionThread, { body, context, resolve, reject }: Job): Promise<void> {
    try {
      const own = ownBytes(body);
      resolve(receiveBody(await calls.ask("admit", [own, context], [own.buffer])));
    } catch (error) {
      reject(error instanceof ThreadEnded ? tryAgain() : error);
    }
  }

  #jobsIn(thread: AdmissionThread): Set<Job> {
    const jobs = this.#jobs.get(thread) ?? new Set();
    this.#jobs.set(thread, jobs);
    return jobs;
  }
}

function countOf(jobs: ReadonlySet<Job>, organizationId: string): number {
  let count = 0;
  for (const job of jobs) if (job.organizationId === organizationId) count += 1;
  return count;
}

function tryAgain(): Refusal {
  return new Refusal("unavailable", "The batch could not be checked. Send it again.", { retryAfter: 1 });
}
