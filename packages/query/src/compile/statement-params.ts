/** Types that a parameter can have; an `id` is one of 24 hex digits. */
export type ParamType = "text" | "number" | "integer" | "boolean" | "id";

/** Writes the placeholder of a parameter in the engine's SQL. */
export interface Placeholders {
  placeholder(name: string, type: ParamType, isList: boolean): string;
}

type Value = string | number | bigint | boolean;

/** The value of a parameter; all elements of a list have the same type. */
export interface Param {
  readonly type: ParamType;
  readonly value: Value | readonly Value[];
}

/** What is sent to the engine. Every value that a user gave is in `params`. */
export interface Statement {
  readonly sql: string;
  readonly params: Readonly<Record<string, Param>>;
}

/** Collects the parameters of one statement; the same value is sent once. */
export class StatementParams {
  readonly values: Record<string, Param> = {};
  readonly #placeholders: Placeholders;
  readonly #names = new Map<string, string>();

  constructor(placeholders: Placeholders) {
    this.#placeholders = placeholders;
  }

  add(type: ParamType, value: Value): string {
    return this.#place(type, value, false);
  }

  addList(type: ParamType, values: readonly Value[]): string {
    return this.#place(type, values, true);
  }

  #place(type: ParamType, value: Param["value"], isList: boolean): string {
    const key = `${type}:${JSON.stringify(Array.isArray(value) ? value.map(String) : String(value))}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      name = `p${this.#names.size}`;
      this.#names.set(key, name);
      this.values[name] = { type, value };
    }
    return this.#placeholders.placeholder(name, type, isList);
  }
}
