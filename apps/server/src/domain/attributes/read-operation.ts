import { isObject } from "@muster/protocol";
import type { AttributeValue } from "./attribute-values.js";

export type Operation = "set" | "setIfNull" | "inc" | "dec";

/** The names of operations. Some have two. */
export const OPERATIONS: ReadonlyMap<unknown, Operation> = new Map([
  ["set", "set"],
  ["setIfNull", "setIfNull"],
  ["inc", "inc"],
  ["increment", "inc"],
  ["dec", "dec"],
  ["decrement", "dec"],
]);

/** An object with no keys but `value` and `operation` is an operation; any other object is a value. */
export function readOperation(given: unknown): { operation: Operation | undefined; value: AttributeValue | undefined } {
  if (isObject(given)) {
    const keys = Object.keys(given);
    const isOperation = keys.length > 0 && keys.every((key) => key === "value" || key === "operation");
    if (isOperation) {
      const { value, operation = "set" } = given as { value?: AttributeValue; operation?: unknown };
      return { operation: OPERATIONS.get(operation), value };
    }
  }
  return { operation: "set", value: given as AttributeValue };
}
