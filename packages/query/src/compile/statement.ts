/** Values as the ClickHouse client sends them: already text, so that no number loses its precision on the way. */
export type QueryParams = Record<string, string | readonly string[]>;

/** What the server hands to the engine. Every value a user gave is in `params`. */
export interface Statement {
  readonly sql: string;
  readonly params: QueryParams;
}

type ParamType = "String" | "Float64" | "Int64" | "UInt64" | "Bool" | "FixedString(24)";

/** Collects the parameters of one statement; the same value is sent once. */
export class Params {
  readonly values: QueryParams = {};
  readonly #names = new Map<string, string>();

  add(type: ParamType, value: string | number | boolean): string {
    return this.#place(type, String(value));
  }

  addList(type: "String" | "FixedString(24)", values: readonly string[]): string {
    return this.#place(`Array(${type})`, values);
  }

  addNumbers(values: readonly number[]): string {
    return this.#place("Array(Float64)", `[${values.join(",")}]`);
  }

  #place(type: string, value: string | readonly string[]): string {
    const key = `${type}:${JSON.stringify(value)}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      name = `p${this.#names.size}`;
      this.#names.set(key, name);
      this.values[name] = value;
    }
    return `{${name}:${type}}`;
  }
}
