import { SandboxUnavailable } from "../sandbox-unavailable.js";
import { KillableThread } from "./killable-thread.js";
import type { ScriptAnswer, ScriptTask } from "./thread-messages.js";

export interface ScriptThreadsOptions {
  /** How many threads run scripts. Each is started when it is needed. */
  count: number;
  /** How many scripts of one owner may wait. */
  maxWaiting: number;
  /** How long a script may wait for its turn. */
  maxWaitMs: number;
}

interface WaitingScript {
  task: ScriptTask;
  resolve(answer: Promise<ScriptAnswer>): void;
  reject(error: SandboxUnavailable): void;
  /** Ends the waiting. */
  timer: NodeJS.Timeout;
}

/**
 * Runs scripts of many owners on a few threads. Scripts of one owner run one after another, so that one owner never takes
 * more than one thread, and owners take turns. A thread that a script has ended is replaced.
 */
export class ScriptThreads {
  readonly #options: ScriptThreadsOptions;
  readonly #idle: KillableThread[] = [];
  readonly #busy = new Set<KillableThread>();
  /** The scripts that wait, by owner. An owner is in here while one of its scripts waits or runs. */
  readonly #waiting = new Map<string, WaitingScript[]>();
  /** The owners with scripts that wait and none that runs, in the order of their turns. */
  readonly #turns: string[] = [];
  #isClosed = false;

  constructor(options: ScriptThreadsOptions) {
    this.#options = options;
  }

  /** Runs a script. Rejects with `SandboxUnavailable` when its turn does not come. */
  run(owner: string, task: ScriptTask): Promise<ScriptAnswer> {
    if (this.#isClosed) return Promise.reject(SandboxUnavailable.closed());
    const waiting = this.#waiting.get(owner);
    if (waiting && waiting.length >= this.#options.maxWaiting) return Promise.reject(SandboxUnavailable.busy());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(owner, script), this.#options.maxWaitMs);
      const script: WaitingScript = { task, resolve, reject, timer };
      if (waiting) waiting.push(script);
      else {
        this.#waiting.set(owner, [script]);
        this.#turns.push(owner);
      }
      this.#startNext();
    });
  }

  /** Ends all threads in the middle of their scripts. Scripts that run or wait are rejected, and so are later ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer, reject } of [...this.#waiting.values()].flat()) {
      clearTimeout(timer);
      reject(SandboxUnavailable.closed());
    }
    this.#waiting.clear();
    this.#turns.length = 0;
    await Promise.all([...this.#idle.splice(0), ...this.#busy].map((thread) => thread.end()));
  }

  #startNext(): void {
    while (this.#busy.size < this.#options.count) {
      const owner = this.#turns.shift();
      if (owner === undefined) return;
      const script = this.#waiting.get(owner)?.shift();
      if (script) script.resolve(this.#runNow(owner, script));
      // All of them have given up.
      else this.#waiting.delete(owner);
    }
  }

  async #runNow(owner: string, { task, timer }: WaitingScript): Promise<ScriptAnswer> {
    clearTimeout(timer);
    const thread = this.#takeIdle() ?? new KillableThread();
    this.#busy.add(thread);
    try {
      const answer = await thread.run(task);
      // The end of the thread was not the script's fault.
      if (this.#isClosed) throw SandboxUnavailable.closed();
      return answer;
    } catch (error) {
      throw this.#isClosed ? SandboxUnavailable.closed() : error;
    } finally {
      this.#busy.delete(thread);
      // A thread takes a while to start, so it is replaced before the next script needs it.
      if (!this.#isClosed) this.#idle.push(thread.isAlive ? thread : new KillableThread());
      this.#endTurn(owner);
    }
  }

  /** The one that has been idle for the longest: it has surely started. */
  #takeIdle(): KillableThread | undefined {
    const thread = this.#idle.shift();
    return thread === undefined || thread.isAlive ? thread : this.#takeIdle();
  }

  /** The next script of the owner waits behind those of the other owners. */
  #endTurn(owner: string): void {
    if (this.#waiting.get(owner)?.length === 0) this.#waiting.delete(owner);
    else if (this.#waiting.has(owner)) this.#turns.push(owner);
    this.#startNext();
  }

  #giveUp(owner: string, script: WaitingScript): void {
    const waiting = this.#waiting.get(owner) ?? [];
    waiting.splice(waiting.indexOf(script), 1);
    script.reject(SandboxUnavailable.busy());
  }
}
