import type { OpenAPIV3_1 } from "openapi-types";

type Schema = OpenAPIV3_1.SchemaObject | OpenAPIV3_1.ReferenceObject;

/** One line of the table that explains a body: a field, where it sits, and what it holds. */
export interface SchemaRow {
  path: string;
  type: string;
  required: boolean;
  description: string;
}

// Deeper fields are better read in the OpenAPI document.
const MAX_DEPTH = 4;

/** The fields of a schema, nested ones with their path: `user.id`, `items[].name`. */
export function schemaRows(document: OpenAPIV3_1.Document, schema: Schema, path = "", depth = 0): SchemaRow[] {
  const resolved = resolveSchema(document, schema);
  if (depth > MAX_DEPTH) return [];
  if ("items" in resolved && resolved.items) return schemaRows(document, resolved.items, `${path}[]`, depth + 1);
  return Object.entries(resolved.properties ?? {}).flatMap(([name, field]) => {
    const fieldPath = path === "" ? name : `${path}.${name}`;
    const target = resolveSchema(document, field);
    const row = {
      path: fieldPath,
      type: typeText(document, field),
      required: resolved.required?.includes(name) ?? false,
      description: target.description ?? "",
    };
    return [row, ...schemaRows(document, field, fieldPath, depth + 1)];
  });
}

/** A schema's type in a few words, e.g. `array of string`, `"ok" | "error"`, `integer 1–1000`. */
export function typeText(document: OpenAPIV3_1.Document, schema: Schema): string {
  const resolved = resolveSchema(document, schema);
  if (resolved.const !== undefined) return JSON.stringify(resolved.const);
  if (resolved.enum) return resolved.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = resolved.anyOf ?? resolved.oneOf;
  if (alternatives) return alternatives.map((alternative) => typeText(document, alternative)).join(" | ");
  if ("items" in resolved && resolved.items) return `array of ${typeText(document, resolved.items)}`;
  const name = Array.isArray(resolved.type) ? resolved.type.join(" | ") : (resolved.type ?? "anything");
  return [name, resolved.format ? `(${resolved.format})` : "", bounds(resolved)].filter(Boolean).join(" ");
}

function resolveSchema(document: OpenAPIV3_1.Document, schema: Schema): OpenAPIV3_1.SchemaObject {
  if (!("$ref" in schema)) return schema;
  const name = schema.$ref?.split("/").pop() ?? "";
  const target = document.components?.schemas?.[name];
  return target && !("$ref" in target) ? target : {};
}

function bounds({ minimum, maximum, minLength, maxLength }: OpenAPIV3_1.SchemaObject): string {
  if (minimum !== undefined || maximum !== undefined) return `${minimum ?? ""}–${maximum ?? ""}`;
  if (maxLength !== undefined) return `of ${minLength ?? 0}–${maxLength} characters`;
  return "";
}
