export type AttributeType = "string" | "numeric" | "date" | "boolean" | "array" | "json";

export interface AttributeDefinition {
  name: string;
  type: AttributeType;
  visible: boolean;
  trackChanges: boolean;
}

/** The attributes that an organization's users (or accounts) have. New ones are defined when they first occur. */
export class AttributeDefinitions {
  readonly #known: Map<string, AttributeDefinition>;
  readonly #limit: number;
  readonly #added = new Map<string, AttributeDefinition & { source: string }>();

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

  /** Defines a new attribute. Returns undefined when the organization has reached its limit. */
  define(name: string, type: AttributeType, source: string): AttributeDefinition | undefined {
    if (this.isFull) return undefined;
    const definition = { name, type, visible: true, trackChanges: true };
    this.#known.set(name, definition);
    this.#added.set(name, { ...definition, source });
    return definition;
  }

  /** A copy that does not change with the original. */
  copy(): AttributeDefinitions {
    const copy = new AttributeDefinitions(this.#known.values(), this.#limit);
    for (const [name, definition] of this.#added) copy.#added.set(name, definition);
    return copy;
  }

  added(): (AttributeDefinition & { source: string })[] {
    return [...this.#added.values()];
  }
}
