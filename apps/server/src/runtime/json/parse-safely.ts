import secureJson from "secure-json-parse";

const REMOVE = { protoAction: "remove", constructorAction: "remove" } as const;

/**
 * Parses JSON that anybody may have written. A `__proto__` or `constructor.prototype` key is removed: refusing it would
 * lose the other records of a batch.
 */
export function parseSafely(text: string): unknown {
  return secureJson.parse(text, REMOVE);
}
