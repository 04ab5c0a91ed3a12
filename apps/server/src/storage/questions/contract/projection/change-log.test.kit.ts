import { type ChangeSet, NO_CHANGE } from "../../../../domain/changes/change-set.js";
import { evaluationEvents } from "../../../../domain/changes/evaluation-events.js";
import type { StoredEvent } from "../../../../domain/events/stored-event.js";
import { evaluationOf, idOf } from "../organization.test.kit.js";
import { eventOf } from "../steps.test.kit.js";

/** The expected state after a whole change log, computed simply. The state of an engine is compared with it. */
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

/** An action that may add a change to the log. It is skipped if it is not possible in the present state. */
export type Action =
  | { kind: "profile"; user: string; plan: string }
  | { kind: "event"; event: string; user: string; name: string }
  | { kind: "merge"; survivor: string; loser: string }
  | { kind: "remove"; user: string }
  | { kind: "evaluate"; segment: string; users: string[] };

/** Turns actions into a change log, one change each, and computes the expected state. */
export class ChangeLog implements Outcome {
  readonly users = new Map<string, string>(USERS.map((name) => [idOf(name), "none"]));
  readonly events = new Map<string, StoredEvent>();
  readonly members = new Map<string, Set<string>>(SEGMENTS.map((name) => [idOf(name), new Set()]));
  readonly changes: { sequence: number; change: ChangeSet }[] = [
    {
      sequence: 1,
      change: { ...NO_CHANGE, users: USERS.map((name) => ({ id: idOf(name), isNew: true, changes: {} })) },
    },
  ];
  readonly #formerIds = new Map<string, string[]>(USERS.map((name) => [idOf(name), []]));
  readonly #names = new Map<string, string>();

  constructor(actions: readonly Action[]) {
    for (const action of actions) {
      const change = this.#apply(action);
      if (change) this.changes.push({ sequence: this.#next, change: { ...NO_CHANGE, ...change } });
    }
  }

  get #next(): number {
    return this.changes.length + 1;
  }

  #apply(action: Action): Partial<ChangeSet> | undefined {
    switch (action.kind) {
      case "profile":
        return this.#setPlan(idOf(action.user), action.plan);
      case "event":
        return this.#track(idOf(action.event), idOf(action.user), action.name);
      case "merge":
        return this.#merge(idOf(action.survivor), idOf(action.loser));
      case "remove":
        return this.#remove(idOf(action.user));
      case "evaluate":
        return this.#evaluate(action.segment, action.users);
    }
  }

  #setPlan(id: string, plan: string): Partial<ChangeSet> | undefined {
    if (!this.users.has(id)) return undefined;
    this.users.set(id, plan);
    return { users: [{ id, isNew: false, changes: {} }] };
  }

  #track(id: string, userId: string, name: string): Partial<ChangeSet> | undefined {
    if (!this.users.has(userId)) return undefined;
    const event = eventOf(id, userId, { event: name, properties: { trackedAt: this.#next } });
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

  /** Members of the segment leave it. Existing users that are not members enter it. */
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
