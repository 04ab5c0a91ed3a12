import type { SubjectType } from "@muster/protocol";
import type { AttributeTypes, QueryDependencies } from "@muster/query";
import { queryDependencies } from "@muster/query";
import { requireFitting } from "../../audience/computed/check-computation.js";
import {
  type EngineComputed,
  isOfEngine,
  type KnownComputed,
  type RefusedComputed,
} from "../../audience/computed/known-computed.js";
import type { EventPlans } from "../../domain/events/event-plan.js";
import { UNLISTED_FIELDS } from "../../domain/profiles/report.js";
import type { Touch } from "../evaluate/touched-by.js";

/** What the value of an account depends on. */
interface Reads {
  user: ReadonlySet<string>;
  account: ReadonlySet<string>;
  events: ReadonlySet<string>;
  anyEvent: boolean;
  segments: ReadonlySet<string>;
  anySegment: boolean;
}

/** The computed attributes of an organization by what they are about, so that a change costs what it can change. */
export class ComputationIndex {
  /** Over events of users, by the name of the event. */
  readonly #byEvent = new Map<string, EngineComputed[]>();
  readonly ofUsers: readonly EngineComputed[];
  readonly ofAccounts: readonly EngineComputed[];
  readonly refused: readonly RefusedComputed[];
  readonly #reads = new Map<EngineComputed, Reads>();

  constructor(all: readonly KnownComputed[], attributeTypes: AttributeTypes, plans: EventPlans | undefined) {
    const currentName = (name: string) => plans?.currentName(name) ?? name;
    const refused: RefusedComputed[] = [];
    const usable = all.filter(isOfEngine).filter((computed) => {
      try {
        requireFitting(computed.computation, attributeTypes);
        return true;
      } catch (error) {
        refused.push({ computed, problem: error instanceof Error ? error.message : String(error), cause: error });
        return false;
      }
    });
    this.refused = refused;
    this.ofUsers = usable.filter(({ subjectType }) => subjectType === "user");
    this.ofAccounts = usable.filter(({ subjectType }) => subjectType === "account");
    for (const computed of this.ofUsers) {
      if (computed.computation.kind !== "events") continue;
      const name = currentName(computed.computation.event);
      this.#byEvent.set(name, [...(this.#byEvent.get(name) ?? []), computed]);
    }
    for (const computed of this.ofAccounts) this.#reads.set(computed, readsOf(computed.computation, currentName));
  }

  get isEmpty(): boolean {
    return this.ofUsers.length === 0 && this.ofAccounts.length === 0;
  }

  /** The computed attributes of users that an event with one of these names can change. */
  ofEvents(names: Iterable<string>): readonly EngineComputed[] {
    const found = new Set<EngineComputed>();
    for (const name of names) for (const computed of this.#byEvent.get(name) ?? []) found.add(computed);
    return [...found];
  }

  /** The computed attributes of accounts that can change when one of their users, or they themselves, change so. */
  affectedBy(touch: Touch, of: SubjectType): readonly EngineComputed[] {
    return this.ofAccounts.filter((computed) => isAffected(this.#reads.get(computed), touch, of));
  }

  /** The computed attributes that ask for events with one of these names. */
  asking(names: ReadonlySet<string>): readonly EngineComputed[] {
    return [...this.ofUsers, ...this.ofAccounts].filter((computed) => {
      const { computation } = computed;
      if (computation.kind === "events" && names.has(computation.event)) return true;
      return [...(this.#reads.get(computed)?.events ?? [])].some((name) => names.has(name));
    });
  }
}

function readsOf(computation: EngineComputed["computation"], currentName: (name: string) => string): Reads {
  const nothing: QueryDependencies = {
    user: [],
    account: [],
    events: [],
    anyEvent: false,
    segments: [],
    anySegment: false,
  };
  const query = computation.kind === "users" ? computation.where : undefined;
  const reads = query ? queryDependencies(query, "user") : nothing;
  const events = computation.kind === "events" ? [computation.event] : reads.events;
  const attribute = computation.kind === "users" && computation.attribute !== undefined ? [computation.attribute] : [];
  return {
    user: new Set([...reads.user, ...attribute]),
    account: new Set(reads.account),
    events: new Set(events.map(currentName)),
    anyEvent: reads.anyEvent,
    segments: new Set(reads.segments),
    anySegment: reads.anySegment,
  };
}

function isAffected(reads: Reads | undefined, touch: Touch, of: SubjectType): boolean {
  if (reads === undefined) return false;
  const { isWhole, hasProfile, fields, events, segments } = touch;
  if (of === "account") {
    if (reads.account.size === 0) return false;
    return isWhole || hasProfile || segments.size > 0 || [...fields].some((field) => reads.account.has(field));
  }
  if (isWhole) return true;
  if (hasProfile && [...reads.user].some((field) => UNLISTED_FIELDS.has(field))) return true;
  if ([...fields].some((field) => reads.user.has(field))) return true;
  if ((events.size > 0 && reads.anyEvent) || [...events].some((name) => reads.events.has(name))) return true;
  return (segments.size > 0 && reads.anySegment) || [...segments].some((id) => reads.segments.has(id));
}
