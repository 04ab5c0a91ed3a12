import type { OpenAPIV3_1 } from "openapi-types";
import type { Access } from "../auth/caller.js";

export type Document = OpenAPIV3_1.Document;

/** An operation of the document. `x-access` has the name of its access. */
export type Operation = OpenAPIV3_1.OperationObject & { "x-access"?: Access };

const METHODS: readonly string[] = ["get", "post", "put", "patch", "delete"];

/** The document with every operation replaced by what `change` makes of it. */
export function mapOperations(
  document: Document,
  change: (operation: Operation, method: string, path: string) => Operation,
): Document {
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => {
    const parts = Object.entries(item ?? {}).map(([name, part]) => [
      name,
      // A path item has an operation under the name of each method; its other keys are not operations.
      METHODS.includes(name) ? change(part as Operation, name, path) : part,
    ]);
    return [path, Object.fromEntries(parts)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
