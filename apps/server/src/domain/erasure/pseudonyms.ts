import { isObject } from "@muster/protocol";
import type { ErasedSubject } from "./erased-subjects.js";
import { expressionOf, inParts, patternOf } from "./mentions.js";

/** Finds one identifier, and says who had it. */
interface Known {
  expression: RegExp;
  id: string;
}

const KINDS = /^(external_id|anonymous_id|email|domain)"?[:= ]+"?/i;

/**
 * Replaces the identifiers of erased subjects in what people wrote by the ids that Muster had given to the subjects. The
 * receipts have these ids too. So a view that looked for somebody finds nobody, and an entry of the audit log still says
 * that two changes were about the same subject.
 */
export class Pseudonyms {
  /** One of them matches a text, in lower case, that has an identifier of an erased subject. */
  readonly patterns: readonly string[];
  readonly #expressions: readonly RegExp[];
  readonly #known: readonly Known[];

  constructor(subjects: readonly ErasedSubject[]) {
    const known = subjects.flatMap(({ id, identifiers }) =>
      identifiers.flatMap(patternOf).map((pattern) => ({ id, pattern })),
    );
    this.patterns = inParts(known.map(({ pattern }) => pattern)).map(expressionOf);
    this.#expressions = this.patterns.map((pattern) => new RegExp(pattern));
    // The end is looked at and not taken, because it may be the beginning of the next mention.
    this.#known = known.map(({ id, pattern }) => ({
      id,
      expression: new RegExp(`(^|[^a-z0-9@._-])(${pattern})(?=$|[^a-z0-9@_-])`, "gi"),
    }));
  }

  /** The text with ids in place of identifiers. */
  inText(text: string): string {
    if (!this.#areIn(text)) return text;
    const replaced = this.#known.reduce(
      (result, { expression, id }) =>
        result.replace(expression, (_, before: string, found: string) => before + kindIn(found) + id),
      text,
    );
    // Lower case may be longer or shorter than upper case in some alphabets. Then nothing of the text is kept.
    return this.#areIn(replaced) ? "erased" : replaced;
  }

  /** A JSON value with ids in place of identifiers, in keys too. */
  inJson(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) return value.map((item) => this.inJson(item, key));
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => {
          const kept = this.inText(name);
          return [kept, this.inJson(item, kept)];
        }),
      );
    }
    // A number that is not beside the kind of an identifier is an amount.
    if (typeof value !== "string" && !(typeof value === "number" && KINDS.test(`${key}:`))) return value;
    // A short value counts only beside its kind, which is the key.
    const prefix = key === "" ? "" : `${key}: `;
    const text = this.inText(prefix + value);
    if (text === prefix + value) return value;
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  }

  /** The ids of the subjects that a text names. */
  idsIn(text: string): Set<string> {
    if (!this.#areIn(text)) return new Set();
    return new Set(this.#known.filter(({ expression }) => text.search(expression) >= 0).map(({ id }) => id));
  }

  #areIn(text: string): boolean {
    const lower = text.toLowerCase();
    return this.#expressions.some((expression) => expression.test(lower));
  }
}

/** The kind before a short value, such as `external_id: `, which stays. */
function kindIn(found: string): string {
  return KINDS.exec(found)?.[0] ?? "";
}
