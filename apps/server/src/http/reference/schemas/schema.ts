import type { OpenAPIV3_1 } from "openapi-types";

/** A JSON schema as the document has it. Version 3.1 of OpenAPI uses the whole of JSON Schema. */
export type Schema = OpenAPIV3_1.SchemaObject | OpenAPIV3_1.ReferenceObject;

export type Schemas = Record<string, Schema>;

export const TEXT: Schema = { type: "string" };

export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object with exactly these properties known; all but the `optional` ones are there always. */
export function objectOf(properties: Schemas, optional: string[] = [], description?: string) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object" as const, properties, required, ...(description === undefined ? {} : { description }) };
}

export function listOf(items: Schema, description?: string) {
  return { type: "array" as const, items, ...(description === undefined ? {} : { description }) };
}

/** An object whose keys are not known beforehand. */
export function freeMap(values: Schema, description: string) {
  return { type: "object" as const, additionalProperties: values, description };
}
