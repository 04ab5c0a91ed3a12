import type { NameSender } from "./name-sender.js";

/** What a name is of: an attribute of users or of accounts, or an event. */
export type NameKind = "user" | "account" | "event";

export interface NameLimits {
  /** How many new names end users define in the organization within a day. 0 means none. */
  perOrganization: number;
  /** How many of them one end user defines. */
  perVisitor: number;
}

/** A new name that end users sent and could not define. */
export interface WaitingName {
  kind: NameKind;
  name: string;
  /** The type of the refused value. Empty for an event. */
  type: string;
  /** Who sent it: networks of browsers, and users with a token. At most `AGREEING`. */
  senders: readonly string[];
}

export interface StoredNames {
  /** How many names each counter has counted today. */
  counts: ReadonlyMap<string, number>;
  waiting: readonly WaitingName[];
}

/** A name that so many different senders have sent is no flood of one of them. */
export const AGREEING = 5;
/** The part of the organization's limit that browsers of one network can use up. */
const NETWORK_SHARE = 5;

/**
 * Decides which new names of end users are defined. Every limit that strangers share can be used up by strangers, so there are
 * several: what browsers without a token use up costs users with a token nothing, one network has a part of the limit, and a
 * name that several senders agree on has a limit of its own. What does not fit waits for a member.
 */
export class NewNames {
  readonly #limits: NameLimits;
  readonly #counts: Map<string, number>;
  readonly #counted = new Map<string, number>();
  readonly #waiting: Map<string, WaitingName>;
  readonly #changed = new Map<string, WaitingName>();
  readonly #defined = new Map<string, Pick<WaitingName, "kind" | "name">>();

  constructor(limits: NameLimits, { counts, waiting }: StoredNames = { counts: new Map(), waiting: [] }) {
    this.#limits = limits;
    this.#counts = new Map(counts);
    this.#waiting = new Map(waiting.map((one) => [keyOf(one), one]));
  }

  /** Counts a new name and returns undefined, or returns why it is not defined now. */
  take(wanted: Omit<WaitingName, "senders">, sender: NameSender): string | undefined {
    const { perOrganization } = this.#limits;
    if (perOrganization === 0) return "END_USER_NEW_ATTRIBUTES_PER_DAY lets end users define none";
    const group = groupOf(wanted.kind);
    const own = this.#ownCounters(group, sender);
    const isSpent = own.some(({ counter, limit }) => this.#count(counter) >= limit);
    const pool = poolOf(group, sender);
    if (!isSpent && this.#count(pool) < perOrganization) {
      this.#define(wanted, [pool, ...own.map(({ counter }) => counter)]);
      return undefined;
    }
    const before = this.#waiting.get(keyOf(wanted))?.senders ?? [];
    const name = sender.isProved ? sender.visitor : sender.network;
    const isNewSender = !isSpent && !before.includes(name) && before.length < AGREEING;
    const senders = isNewSender ? [...before, name] : before;
    if (isNewSender) for (const { counter } of own) this.#add(counter);
    const agreed = `${group} agreed`;
    if (senders.length >= AGREEING && this.#count(agreed) < perOrganization) {
      this.#define(wanted, [agreed]);
      return undefined;
    }
    const waiting = { ...wanted, senders };
    this.#waiting.set(keyOf(wanted), waiting);
    this.#changed.set(keyOf(wanted), waiting);
    return isSpent
      ? "this visitor, or the network of the visitor, has defined as many as one may in a day (VISITOR_NEW_ATTRIBUTES_PER_DAY)"
      : "end users have defined as many as they may in a day (END_USER_NEW_ATTRIBUTES_PER_DAY)";
  }

  /** What `take` has counted, what waits now, and what waits no longer. */
  changes(): {
    counted: ReadonlyMap<string, number>;
    waiting: WaitingName[];
    defined: Pick<WaitingName, "kind" | "name">[];
  } {
    return { counted: this.#counted, waiting: [...this.#changed.values()], defined: [...this.#defined.values()] };
  }

  #define(wanted: Omit<WaitingName, "senders">, counters: readonly string[]): void {
    for (const counter of counters) this.#add(counter);
    const key = keyOf(wanted);
    this.#changed.delete(key);
    if (this.#waiting.delete(key)) this.#defined.set(key, { kind: wanted.kind, name: wanted.name });
  }

  #ownCounters(group: string, { isProved, visitor, network }: NameSender) {
    const { perOrganization, perVisitor } = this.#limits;
    const ofVisitor = { counter: `${group} by ${visitor}`, limit: perVisitor };
    if (isProved) return [ofVisitor];
    const limit = Math.max(perVisitor, Math.ceil(perOrganization / NETWORK_SHARE));
    return [ofVisitor, { counter: `${group} from ${network}`, limit }];
  }

  #count(counter: string): number {
    return this.#counts.get(counter) ?? 0;
  }

  #add(counter: string): void {
    this.#counts.set(counter, this.#count(counter) + 1);
    this.#counted.set(counter, (this.#counted.get(counter) ?? 0) + 1);
  }
}

/** The counters that decide about names of a sender. */
export function countersOf(kind: NameKind, sender: NameSender): string[] {
  const group = groupOf(kind);
  const own = [`${group} by ${sender.visitor}`, ...(sender.isProved ? [] : [`${group} from ${sender.network}`])];
  return [poolOf(group, sender), `${group} agreed`, ...own];
}

function poolOf(group: string, { isProved }: NameSender): string {
  return `${group} of ${isProved ? "tokens" : "browsers"}`;
}

/** Attributes of users and of accounts share their limits. */
function groupOf(kind: NameKind): string {
  return kind === "event" ? "events" : "attributes";
}

function keyOf({ kind, name }: Pick<WaitingName, "kind" | "name">): string {
  return `${kind} ${name}`;
}
