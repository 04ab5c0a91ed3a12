import { type Static, type TSchema, type TUnsafe, Type } from "typebox";

/**
 * Keywords of our own in schemas. Validators and serialisers ignore both.
 * - `component`: the OpenAPI document has the schema once, under this name, and refers to it everywhere else
 * - `documentedAs`: the document shows this schema instead (see `anyObjectAs`)
 */
export const COMPONENT = "component";
export const DOCUMENTED_AS = "documentedAs";

type Described = { description?: string };

/**
 * Checked and serialised by `check` alone; to readers of the document and to the compiler it is `schema`. For bodies that
 * a service checks itself, with refusals of its own, and for answers that are passed on as they are: a serialiser made
 * from the schema would cost time there, and drop the keys that the schema does not name.
 */
export function checkedOnlyAs<Schema extends TSchema>(
  check: TSchema,
  schema: Schema,
  options: Described = {},
): TUnsafe<Static<Schema>> {
  return Type.Unsafe({ ...check, [DOCUMENTED_AS]: schema, ...options });
}

/** Checked only to be an object. */
export function anyObjectAs<Schema extends TSchema>(schema: Schema, options: Described = {}): TUnsafe<Static<Schema>> {
  return checkedOnlyAs(Type.Object({}, { additionalProperties: true }), schema, options);
}

/** Not checked at all. */
export function anyValueAs<Schema extends TSchema>(schema: Schema, options: Described = {}): TUnsafe<Static<Schema>> {
  return checkedOnlyAs(Type.Unknown(), schema, options);
}

/**
 * A schema by the name of its component, for schemas that contain themselves. The document resolves the reference, a
 * validator cannot: use it only inside what `anyObjectAs` and `anyValueAs` show.
 */
export function refTo<Value>(component: string): TUnsafe<Value> {
  return Type.Unsafe({ $ref: `#/components/schemas/${component}` });
}

/** A schema whose value a caller may leave out: the server fills in the default, so its routes always have a value. */
export type WithDefault<Schema extends TSchema> = TUnsafe<Static<Schema>> & { default: Static<Schema> };

export function withDefault<Schema extends TSchema>(value: Static<Schema>, schema: Schema): WithDefault<Schema> {
  return Object.assign(Type.Unsafe<Static<Schema>>({ ...schema }), { default: value });
}

/** A JSON object whose keys are not known beforehand. */
export type JsonObject = Record<string, unknown>;

/** An object with free keys, for what connectors and clients store. The description says what it is. */
export function freeObject(description: string): TUnsafe<JsonObject> {
  return Type.Unsafe({ ...Type.Object({}), additionalProperties: true, description });
}

/** An object whose keys are free and whose values all have one schema. */
export function mapOf<Schema extends TSchema>(
  values: Schema,
  description: string,
): TUnsafe<Record<string, Static<Schema>>> {
  return Type.Unsafe({ type: "object", additionalProperties: values, description });
}

/** The value, or null. */
export function nullable<Schema extends TSchema>(schema: Schema, options: Described = {}) {
  return Type.Union([schema, Type.Null()], options);
}

/** One of these texts. */
export function textIn<const Word extends string>(words: readonly Word[], options: Described = {}): TUnsafe<Word> {
  return Type.Unsafe({ type: "string", enum: words, ...options });
}
