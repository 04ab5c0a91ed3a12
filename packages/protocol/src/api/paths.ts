import type { Static, TObject, TProperties, TSchema } from "typebox";
import type { Contracts } from "./contracts.js";

/**
 * The operations of the API in the shape that `openapi-fetch` takes: by path, then by method. It exists only for the
 * compiler, so a bundle that imports it gets no schema.
 */
export type Paths = {
  [Path in PathOf<keyof Contracts>]: {
    [Name in MethodOf<keyof Contracts, Path> as Lowercase<Name>]: OperationOf<
      Contracts[`${Name} ${Path}` & keyof Contracts]
    >;
  };
};

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type PathOf<Key> = Key extends `${Method} ${infer Path}` ? Path : never;
type MethodOf<Key, Path extends string> = Key extends `${infer Name extends Method} ${Path}` ? Name : never;

type OperationOf<Contract> = BodyOf<Contract> & {
  parameters: QueryOf<Contract> & PathParametersOf<Contract>;
  responses: Contract extends { response: infer Answers }
    ? { [Status in keyof Answers]: { content: ContentOf<Answers[Status], "answered"> } }
    : never;
};

type BodyOf<Contract> = Contract extends { body: infer Body }
  ? { requestBody: { content: ContentOf<Body, "given"> } }
  : { requestBody?: never };

type QueryOf<Contract> = Contract extends { querystring: infer Schema extends TSchema }
  ? Record<never, never> extends Given<Schema>
    ? { query?: Given<Schema> }
    : { query: Given<Schema> }
  : { query?: never };

type PathParametersOf<Contract> = Contract extends { params: infer Schema extends TSchema }
  ? { path: Static<Schema> }
  : { path?: never };

/** A schema stands for JSON. Other types of content are named. */
type ContentOf<Part, Direction extends "given" | "answered"> = Part extends { content: infer Contents }
  ? { [Type in keyof Contents]: Contents[Type] extends { schema: infer Schema } ? ValueOf<Schema, Direction> : never }
  : { "application/json": ValueOf<Part, Direction> };

type ValueOf<Schema, Direction> = Schema extends TSchema
  ? Direction extends "given"
    ? Given<Schema>
    : Static<Schema>
  : never;

/** What a caller sends: what has a default may be left out. */
export type Given<Schema extends TSchema> =
  Schema extends TObject<infer Properties> ? WithOptional<Static<Schema>, DefaultedKeys<Properties>> : Static<Schema>;

type WithOptional<Value, Keys> = Omit<Value, Keys & keyof Value> & Partial<Pick<Value, Keys & keyof Value>>;

type DefaultedKeys<Properties extends TProperties> = {
  [Key in keyof Properties]: Properties[Key] extends { default: unknown } ? Key : never;
}[keyof Properties];
