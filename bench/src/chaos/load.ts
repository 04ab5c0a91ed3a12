import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.js";
import { eventId, type Model, type SegmentUserModel, type UserModel } from "./model.js";
import type { Random } from "./random.js";
import type { Sender } from "./sender.js";

const WORKERS = 8;
const SEGMENT_WORKERS = 10;
/** Users in a batch. Each has two entries: attributes and an event. */
const USERS_PER_BATCH = 50;
/** In one of this many turns, a worker makes a pair of API calls instead of sending a batch. */
const CALLS_EVERY = 10;
const CROSSING_PAUSE_MS = 300;
const PAUSE_LOOK_MS = 20;
export const SCORE = 10;

export interface LoadOptions {
  model: Model;
  sender: Sender;
  clock: Pick<Clock, "during">;
  random: Random;
  /**
   * This many workers only call the API, so that the others keep sending batches while the API is unavailable. Without it,
   * all workers do both.
   */
  callers?: number;
}

/**
 * Sends records of a fixed set of users. Each user belongs to one worker, which sends the next record of a user after
 * the last one was acknowledged, so that the order of a user's records is known.
 */
export class Load {
  readonly #options: LoadOptions;
  #isStopping = false;
  #isPaused = false;
  /** Turns of workers that have begun and not ended. */
  #underWay = 0;
  #ended: Promise<unknown> = Promise.resolve();
  /** Entries a second, or 0 for as many as the server acknowledges. */
  pace = 0;
  /** Entries that were acknowledged. */
  acknowledged = 0;
  /** Requests that were acknowledged: batches and single records. */
  acknowledgedRequests = 0;
  /** Crossings of the segment's border that were evaluated. */
  crossings = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  start(): void {
    const { users, segmentUsers } = this.#options.model;
    const shareOf = <User>(all: readonly User[], workers: number, worker: number) =>
      all.filter((_, index) => index % workers === worker);
    this.#ended = Promise.all([
      ...Array.from({ length: WORKERS }, (_, worker) => this.#work(shareOf(users, WORKERS, worker), worker)),
      ...Array.from({ length: SEGMENT_WORKERS }, (_, worker) =>
        this.#cross(shareOf(segmentUsers, SEGMENT_WORKERS, worker)),
      ),
    ]);
  }

  /** Starts no new requests, and waits until those under way are acknowledged. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#ended;
  }

  /** Sends nothing until `resume`. Returns when all requests under way have ended. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    while (this.#underWay > 0) await sleep(PAUSE_LOOK_MS);
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** Waits while the load is paused. False when it is stopping. */
  async #mayGoOn(): Promise<boolean> {
    while (this.#isPaused && this.#isRunning) await sleep(PAUSE_LOOK_MS);
    return this.#isRunning;
  }

  async #doing<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  get #isRunning(): boolean {
    return !this.#isStopping && !this.#options.sender.isGivingUp;
  }

  async #work(users: UserModel[], worker: number): Promise<void> {
    const { random, callers } = this.#options;
    let nextAt = performance.now();
    for (let turn = 0; await this.#mayGoOn(); turn++) {
      const isCall = callers === undefined ? turn % CALLS_EVERY === 0 : worker < callers;
      const chosen = isCall ? [random.pick(users)] : random.shuffle(users).slice(0, USERS_PER_BATCH);
      const entries = 2 * chosen.length;
      if (this.pace > 0) {
        // The load does not catch up after an outage, because its pace would then be higher than asked for.
        nextAt = Math.max(nextAt + (entries * WORKERS * 1_000) / this.pace, performance.now());
        await sleep(nextAt - performance.now());
      }
      const [first] = chosen;
      if (!(await this.#mayGoOn())) return;
      await this.#doing(() => (first && isCall ? this.#sendCalls(first) : this.#sendBatch(chosen)));
    }
  }

  async #sendBatch(users: UserModel[]): Promise<void> {
    const { model, sender, clock } = this.#options;
    const time = Date.now();
    const records = users.map((user) => this.#newRecord(user));
    const entries = records.flatMap(({ user, n, add, event }) => {
      const headers = { "Svc-Access-Token": sender.token(user.externalId) };
      const timestamp = new Date(time).toISOString();
      return [
        { type: "traits", timestamp, headers, body: { n, visits: { operation: "inc", value: add } } },
        { type: "track", timestamp, headers, body: { event: "Seen", event_id: eventId(event), properties: { n } } },
      ].map((entry) => JSON.stringify(entry));
    });
    const answer = await sender.sendBatch(entries);
    if (!answer) return;
    if (!answer.body.includes(`"accepted":${entries.length},"rejected":[]`)) {
      sender.refused.push(`A batch was accepted in part: ${answer.body.slice(0, 300)}`);
      return;
    }
    const offsets = clock.during(answer.from, answer.to);
    for (const { user, n, add, event } of records) {
      model.acknowledgeN(user, n, time, time, offsets);
      user.visits.acknowledged += add;
      model.acknowledgeEvent(event);
    }
    this.acknowledged += entries.length;
    this.acknowledgedRequests += 1;
  }

  async #sendCalls(user: UserModel): Promise<void> {
    const { model, sender, clock } = this.#options;
    const { n, add, event } = this.#newRecord(user);
    const key = `${user.externalId} ${n}`;
    const visits = { operation: "inc", value: add };
    const traits = await sender.callAs(user.externalId, "/me/traits", key, { n, visits });
    if (traits) {
      model.acknowledgeN(user, n, traits.from, traits.to, clock.during(traits.from, traits.to));
      user.visits.acknowledged += add;
      this.acknowledged += 1;
      this.acknowledgedRequests += 1;
    }
    const body = { event: "Seen", event_id: eventId(event), properties: { n } };
    const track = await sender.callAs(user.externalId, "/me/track", key, body);
    if (!track) return;
    model.acknowledgeEvent(event);
    this.acknowledged += 1;
    this.acknowledgedRequests += 1;
  }

  #newRecord(user: UserModel): { user: UserModel; n: number; add: number; event: number } {
    const { model, random } = this.#options;
    const n = model.newNumber(user);
    const add = 1 + Math.floor(random.next() * 3);
    user.visits.sent += add;
    return { user, n, add, event: model.newEvent() };
  }

  /** Sends users into the segment and out of it. Each crossing is evaluated before the user crosses again. */
  async #cross(users: SegmentUserModel[]): Promise<void> {
    for (let turn = 0; await this.#mayGoOn(); turn++) {
      const user = users[turn % users.length];
      if (!user || !(await this.#doing(() => this.#crossOnce(user)))) return;
      if (this.pace > 0) await sleep(CROSSING_PAUSE_MS);
    }
  }

  /** False when the outcome is not known, because the load is given up. */
  async #crossOnce(user: SegmentUserModel): Promise<boolean> {
    const { model, sender } = this.#options;
    const score = { operation: user.isMember ? "dec" : "inc", value: SCORE };
    const key = `${user.externalId} ${user.entered + user.left}`;
    user.isCrossing = true;
    const answer = await sender.callAs(user.externalId, "/me/traits", key, { score });
    if (!answer) return false;
    if (!(await sender.waitFor(answer.position))) return false;
    model.cross(user);
    this.crossings += 1;
    return true;
  }
}
