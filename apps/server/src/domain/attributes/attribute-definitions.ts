export type AttributeType = "string" | "numeric" | "date" | "boolean" | "array" | "json";

export interface AttributeDefinition {
  name: string;
  type: AttributeType;
  visible: boolean;
  trackChanges: boolean;
}

/** A definition that is not stored yet. */
export interface NewAttribute extends AttributeDefinition {
  /** Who wrote the first value: a connector, with `/` and the job's id when a job did. */
  source: string;
  /** An end user wrote it, with a token of that connector. */
  byEndUser: boolean;
}

/** The attributes that an organization's users (or accounts) have. New ones are defined when they first occur. */
export class AttributeDefinitions {
  readonly #known: Map<string, AttributeDefinition>;
  readonly #limit: number;
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
    return copy;
  }

  added(): NewAttribute[] {
    return [...this.#added.values()];
  }
}
