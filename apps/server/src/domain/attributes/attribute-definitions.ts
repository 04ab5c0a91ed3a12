import { CONSENT_GROUP } from "@muster/protocol";
import type { AttributeType } from "@muster/protocol/api/choices";

export type { AttributeType };

export interface AttributeDefinition {
  name: string;
  type: AttributeType;
  visible: boolean;
  trackChanges: boolean;
  /** Whether end users may not write it. Null: as the group of the attribute says. */
  serverOnly: boolean | null;
  /** An end user wrote the first value. */
  byEndUser: boolean;
  /** A job deletes the attribute, so no record may write it. */
  removing?: boolean;
  /** The computed attribute that writes it. No record may. */
  computedBy?: string;
  /** The last stored time at which a record carried the attribute. */
  lastSeenAt?: Date | null;
}

/** A definition that is not stored yet. */
export interface NewAttribute extends AttributeDefinition {
  /** Who wrote the first value: a connector, with `/` and the job's id when a job did. */
  source: string;
}

/** The part of a name before its first slash. */
export function groupOf(name: string): string | undefined {
  const slash = name.indexOf("/");
  return slash > 0 ? name.slice(0, slash) : undefined;
}

// Storing it for every micro-batch would cost as much as the rest of the definitions.
const SEEN_EVERY_MS = 60_000;

/** The attributes that an organization's users (or accounts) have. New ones are defined when they first occur. */
export class AttributeDefinitions {
  readonly #known: Map<string, AttributeDefinition>;
  readonly #limit: number;
  readonly #seen = new Set<string>();
  readonly #added = new Map<string, NewAttribute>();
  /** The first attribute of each group. */
  #groups: Map<string, AttributeDefinition> | undefined;
  /** How many of the known ones end users have defined. */
  #byEndUsers: number | undefined;

  /** The known ones come in the order in which they were made. */
  constructor(known: Iterable<AttributeDefinition>, limit: number) {
    this.#known = new Map([...known].map((definition) => [definition.name, definition]));
    this.#limit = limit;
  }

  get(name: string): AttributeDefinition | undefined {
    return this.#known.get(name);
  }

  /** The names of attributes whose changes are not kept, in their order. Hidden ones are left out. */
  untracked(): string[] {
    return [...this.#known.values()].flatMap(({ name, visible, trackChanges }) =>
      visible && !trackChanges ? [name] : [],
    );
  }

  /** Whether no further attribute can be defined. */
  get isFull(): boolean {
    return this.#known.size >= this.#limit;
  }

  /** Whether end users can define no further attribute. The other half is for connectors and members. */
  get isFullForEndUsers(): boolean {
    this.#byEndUsers ??= [...this.#known.values()].filter(({ byEndUser }) => byEndUser).length;
    return this.#byEndUsers >= Math.ceil(this.#limit / 2);
  }

  /** Defines a new attribute. Returns whether it could: an organization has a limit. */
  define(name: string, { type, source, byEndUser }: Pick<NewAttribute, "type" | "source" | "byEndUser">): boolean {
    if (this.isFull) return false;
    const definition = { name, type, visible: true, trackChanges: true, serverOnly: null, byEndUser };
    this.#known.set(name, definition);
    this.#added.set(name, { ...definition, source });
    if (byEndUser && this.#byEndUsers !== undefined) this.#byEndUsers += 1;
    this.#noteGroup(definition);
    return true;
  }

  /**
   * Whether end users may not write an attribute: it is marked so, or it is in a group whose first attribute is marked so
   * or was made by a connector. An attribute that is not defined yet follows its group too.
   */
  isServerOnly(name: string): boolean {
    const own = this.#known.get(name)?.serverOnly ?? null;
    const group = groupOf(name);
    // Browsers ask people for their consent, whoever wrote the first one.
    if (own !== null || group === undefined || group === CONSENT_GROUP) return own === true;
    const first = this.#firstOfGroups().get(group);
    return first !== undefined && (first.serverOnly ?? !first.byEndUser);
  }

  #firstOfGroups(): Map<string, AttributeDefinition> {
    if (!this.#groups) {
      this.#groups = new Map();
      for (const definition of this.#known.values()) this.#noteGroup(definition);
    }
    return this.#groups;
  }

  #noteGroup(definition: AttributeDefinition): void {
    const group = groupOf(definition.name);
    if (group !== undefined && this.#groups?.has(group) === false) this.#groups.set(group, definition);
  }

  /** A copy that does not change with the original. */
  copy(): AttributeDefinitions {
    const copy = new AttributeDefinitions(this.#known.values(), this.#limit);
    for (const [name, definition] of this.#added) copy.#added.set(name, definition);
    for (const name of this.#seen) copy.#seen.add(name);
    return copy;
  }

  /** Notes that a record carries a value of an attribute. */
  see(name: string): void {
    this.#seen.add(name);
  }

  /**
   * The attributes that records carried, unless that was stored within the last minute. Notes in the definitions that they
   * are stored now: the same definitions may be used for later micro-batches.
   */
  takeSeen(now: number): string[] {
    const taken: string[] = [];
    for (const name of this.#seen) {
      const known = this.#known.get(name);
      if (!known || this.#added.has(name)) continue;
      if (Math.abs(now - (known.lastSeenAt?.getTime() ?? 0)) < SEEN_EVERY_MS) continue;
      known.lastSeenAt = new Date(now);
      taken.push(name);
    }
    return taken;
  }

  added(): NewAttribute[] {
    return [...this.#added.values()];
  }
}
