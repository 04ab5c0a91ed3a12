import { type ChangeSet, NO_CHANGE, type StoredEvent } from "../../../../domain/changes/change-set.js";
import { evaluationEvents } from "../../../../domain/events/evaluation-events.js";
import type { SequencedChange } from "../../projection.js";
import { evaluationOf, idOf } from "../organization.test.kit.js";
import { eventOf } from "../steps.test.kit.js";

/** What a plain reading of a change log comes to: what an engine is compared with, however the log reaches it. */
export interface Outcome {
  /** The plan of each user that exists. */
  readonly users: ReadonlyMap<string, string>;
  /** Events as they are now, by id. */
  readonly events: ReadonlyMap<string, StoredEvent>;
  /** The members of each segment. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
}

export const USERS = ["ann", "bob", "cat", "dan"];
export const EVENTS = ["e1", "e2", "e3", "e4", "e5"];
export const SEGMENTS = ["buyers", "readers"];

/** Things that happen, of which those that make no sense at their time are passed over. */
export type Happening =
  | { kind: "profile"; user: string; plan: string }
  | { kind: "event"; event: string; user: string; name: string }
  | { kind: "merge"; survivor: string; loser: string }
  | { kind: "remove"; user: string }
  | { kind: "evaluate"; segment: string; users: string[] };

/** Writes what happens to a change log, a change each, and reads it plainly. */
export class ChangeLog implements Outcome {
  readonly users = new Map<string, string>(USERS.map((name) => [idOf(name), "none"]));
  readonly events = new Map<string, StoredEvent>();
  readonly members = new Map<string, Set<string>>(SEGMENTS.map((name) => [idOf(name), new Set()]));
  readonly changes: SequencedChange[] = [
    {
      sequence: 1,
      change: { ...NO_CHANGE, users: USERS.map((name) => ({ id: idOf(name), isNew: true, changes: {} })) },
    },
  ];
  readonly #formerIds = new Map<string, string[]>(USERS.map((name) => [idOf(name), []]));
  readonly #names = new Map<string, string>();

  constructor(all: readonly Happening[]) {
    for (const one of all) {
      const change = this.#apply(one);
      if (change) this.changes.push({ sequence: this.#next, change: { ...NO_CHANGE, ...change } });
    }
  }

  get #next(): number {
    return this.changes.length + 1;
  }

  #apply(one: Happening): Partial<ChangeSet> | undefined {
    switch (one.kind) {
      case "profile":
        return this.#setPlan(idOf(one.user), one.plan);
      case "event":
        return this.#tell(idOf(one.event), idOf(one.user), one.name);
      case "merge":
        return this.#merge(idOf(one.survivor), idOf(one.loser));
      case "remove":
        return this.#remove(idOf(one.user));
      case "evaluate":
        return this.#evaluate(one.segment, one.users);
    }
  }

  #setPlan(id: string, plan: string): Partial<ChangeSet> | undefined {
    if (!this.users.has(id)) return undefined;
    this.users.set(id, plan);
    return { users: [{ id, isNew: false, changes: {} }] };
  }

  #tell(id: string, userId: string, name: string): Partial<ChangeSet> | undefined {
    if (!this.users.has(userId)) return undefined;
    const event = eventOf(id, userId, { event: name, properties: { told: this.#next } });
    const former = this.#names.get(id);
    this.#names.set(id, name);
    this.events.set(id, event);
    const isRenamed = former !== undefined && former !== name;
    const replaced = isRenamed ? [{ id, event: former, createdAt: Date.parse(event.created_at) }] : [];
    return { events: [event], replaced };
  }

  #merge(survivor: string, loser: string): Partial<ChangeSet> | undefined {
    if (survivor === loser || !this.users.has(survivor) || !this.users.has(loser)) return undefined;
    this.users.delete(loser);
    this.#formerIds.get(survivor)?.push(loser, ...(this.#formerIds.get(loser) ?? []));
    for (const [id, event] of this.events) {
      if (event.user_id === loser) this.events.set(id, { ...event, user_id: survivor });
    }
    return {
      users: [{ id: survivor, isNew: false, changes: {} }],
      merges: [{ kind: "user", survivor, loser, hasEvents: true }],
    };
  }

  #remove(id: string): Partial<ChangeSet> | undefined {
    if (!this.users.delete(id)) return undefined;
    const formerIds = this.#formerIds.get(id) ?? [];
    const ids = new Set([id, ...formerIds]);
    for (const [eventId, event] of this.events) {
      if (ids.has(event.user_id) || ids.has(event.origin_id)) this.events.delete(eventId);
    }
    for (const members of this.members.values()) for (const one of ids) members.delete(one);
    return { removed: [{ kind: "user", id, formerIds }] };
  }

  /** Those who are in the segment leave it, those who exist and are not enter it. */
  #evaluate(segment: string, names: readonly string[]): Partial<ChangeSet> | undefined {
    const members = this.members.get(idOf(segment)) ?? new Set();
    const left = names.filter((name) => members.has(idOf(name)));
    const entered = names.filter((name) => !members.has(idOf(name)) && this.users.has(idOf(name)));
    if (left.length + entered.length === 0) return undefined;
    const gone = left.map(idOf).filter((id) => !this.users.has(id));
    const evaluation = evaluationOf(segment, { entered, left, gone });
    for (const name of left) members.delete(idOf(name));
    for (const name of entered) members.add(idOf(name));
    for (const event of evaluationEvents(evaluation, this.#next)) this.events.set(event.id, event);
    return { evaluation };
  }
}
