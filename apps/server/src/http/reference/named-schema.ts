import { Type } from "typebox";

/**
 * Names that schemas of routes have in the OpenAPI document. Validators and serializers ignore both keywords.
 * - `component`: the schema is in the document once, under this name, and is referred to everywhere else
 * - `documentedAs`: the document shows the schema of this name in its place (schemas/), because the route itself checks
 *   less, or passes on what a service returns
 */
export const COMPONENT = "component";
export const DOCUMENTED_AS = "documentedAs";

/** Any object to the validator and the serializer, and the named schema to readers of the document. */
export function anyObjectAs(name: string, options: { description?: string } = {}) {
  return Type.Object({}, { additionalProperties: true, [DOCUMENTED_AS]: name, ...options });
}

/** The same, with the type of an object whose keys are read. */
export function anyRecordAs(name: string, options: { description?: string } = {}) {
  return Type.Record(Type.String(), Type.Unknown(), { [DOCUMENTED_AS]: name, ...options });
}

/** Any value to the validator and the serializer, and the named schema to readers of the document. */
export function anyValueAs(name: string, options: { description?: string } = {}) {
  return Type.Unknown({ [DOCUMENTED_AS]: name, ...options });
}

/** An object with free keys, for what connectors and clients store. The description says what it is. */
export function freeObject(description: string) {
  return Type.Object({}, { additionalProperties: true, description });
}
