import type { AttributeType } from "@muster/protocol/api/values";

export type { AttributeType };

export interface AttributeDefinition {
  name: string;
  type: AttributeType;
  visible: boolean;
  trackChanges: boolean;
  /** The last stored time at which a record carried the attribute. */
  lastSeenAt?: Date | null;
}

/** A definition that is not stored yet. */
export interface NewAttribute extends AttributeDefinition {
  /** Who wrote the first value: a connector, with `/` and the job's id when a job did. */
  source: string;
  /** An end user wrote it, with a token of that connector. */
  byEndUser: boolean;
}
// Storing it for every micro-batch would cost as much as the rest of the definitions.
const SEEN_EVERY_MS = 60_000;

/** The attributes that an organization's users (or accounts) have. New ones are defined when they first occur. */
export class AttributeDefinitions {
  readonly #known: Map<string, AttributeDefinition>;
  readonly #limit: number;
  readonly #seen = new Set<string>();
  readonly #added = new Map<string, NewAttribute>();

  constructor(known: Iterable<AttributeDefinition>, limit: number) {
    this.#known = new Map([...known].map((definition) => [definition.name, definition]));
    this.#limit = limit;
  }

  get(name: string): AttributeDefinition | undefined {
    return this.#known.get(name);
  }

  /** Whether no further attribute can be defined. */
  get isFull(): boolean {
    return this.#known.size >= this.#limit;
  }

  /** Defines a new attribute. Returns whether it could: an organization has a limit. */
  define(name: string, { type, source, byEndUser }: Pick<NewAttribute, "type" | "source" | "byEndUser">): boolean {
    if (this.isFull) return false;
    const definition = { name, type, visible: true, trackChanges: true };
    this.#known.set(name, definition);
    this.#added.set(name, { ...definition, source, byEndUser });
    return true;
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
