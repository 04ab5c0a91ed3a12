import { COMPONENT, DOCUMENTED_AS } from "@muster/protocol/api/schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listOperations, type TestOperation } from "../../testing/operations.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { documentOf } from "./openapi.js";

type Json = Record<string, unknown>;

let server: TestServer;
let document: Json;
let operations: TestOperation[];
beforeAll(async () => {
  server = await openTestServer();
  operations = await listOperations(server.app);
  // As clients get it: without undefined values and without getters of the schema library.
  document = JSON.parse(JSON.stringify(documentOf(server.app)));
});
afterAll(() => server.close());

const COMBINATIONS = ["anyOf", "oneOf", "allOf"];
const SAYS_SOMETHING = ["$ref", "const", "enum", ...COMBINATIONS];

/** The places where a schema says nothing about its values. */
function blanksIn(schema: unknown, at: string): string[] {
  if (typeof schema !== "object" || schema === null) return [`${at}: no schema`];
  const { type, properties, items, description, ...rest } = schema as Json;
  const parts = [
    ...Object.entries((properties as Json) ?? {}).flatMap(([name, part]) => blanksIn(part, `${at}.${name}`)),
    ...COMBINATIONS.flatMap((name) => ((rest[name] as unknown[]) ?? []).flatMap((part) => blanksIn(part, at))),
    ...(items === undefined ? [] : blanksIn(items, `${at}[]`)),
  ];
  if (SAYS_SOMETHING.some((name) => name in rest)) return parts;
  if (type === undefined) return [...parts, `${at}: no type`];
  if (type === "array" && items === undefined) return [...parts, `${at}: an array without items`];
  if (type !== "object" || Object.keys((properties as Json) ?? {}).length > 0) return parts;
  return [...parts, ...blankMap(rest, description, at)];
}

/** An object without known keys is free: it must say what it is for, and may say what its values are. */
function blankMap(schema: Json, description: unknown, at: string): string[] {
  if (schema.additionalProperties === false) return [];
  const values = schema.additionalProperties ?? Object.values((schema.patternProperties as Json) ?? {})[0];
  if (values === undefined) return [`${at}: an object without properties`];
  const isFree = values === true || Object.keys(values as Json).length === 0;
  if (typeof description !== "string") return [`${at}: an object with free keys needs a description`];
  return isFree ? [] : blanksIn(values, `${at}.*`);
}

test("no schema of a body or an answer is blank: give it properties, or anyObjectAs with a schema", () => {
  const blanks = operations.flatMap(({ method, path, operation }) => {
    const contents = [
      ["body", operation.requestBody],
      ...Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith("2")),
    ] as [string, { content?: Record<string, { schema?: unknown }> } | undefined][];
    return contents.flatMap(([part, holder]) =>
      Object.values(holder?.content ?? {}).flatMap(({ schema }) =>
        blanksIn(JSON.parse(JSON.stringify(schema ?? null)), `${method} ${path} ${part}`),
      ),
    );
  });
  expect(blanks).toEqual([]);
});

test("no schema that has a name is blank", () => {
  const { schemas } = document.components as { schemas: Json };
  const blanks = Object.entries(schemas).flatMap(([name, schema]) => blanksIn(schema, name));
  expect(blanks).toEqual([]);
});

test("every operation declares a 2xx answer with a schema, or 204", () => {
  const without = operations.filter(({ operation }) => {
    const good = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
    return good.length === 0 || good.some(([status, answer]) => status !== "204" && !("content" in answer));
  });
  expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

test("every parameter has a type and a description", () => {
  const blanks = operations.flatMap(({ method, path, operation }) =>
    (operation.parameters ?? []).flatMap((parameter) => {
      if ("$ref" in parameter) return [];
      const at = `${method} ${path} ${parameter.name}`;
      const described = parameter.description ? [] : [`${at}: no description`];
      return [...described, ...blanksIn(JSON.parse(JSON.stringify(parameter.schema ?? null)), at)];
    }),
  );
  expect(blanks).toEqual([]);
});

test("every reference leads somewhere, and the keywords of our own are gone", () => {
  const text = JSON.stringify(document);
  const references = [...new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? ""))];
  expect(references.length).toBeGreaterThan(20);
  const lost = references.filter((path) => {
    const target = path.split("/").reduce<unknown>((part, key) => (part as Json | undefined)?.[key], document);
    return target === undefined;
  });
  expect(lost).toEqual([]);
  expect(text).not.toContain(`"${DOCUMENTED_AS}":`);
  expect(text).not.toContain(`"${COMPONENT}":"`);
});

test("operations take the headers that all of them understand, and answer with those of their kind", () => {
  const of = (name: string) => operations.find(({ method, path }) => `${method} ${path}` === name)?.operation as Json;
  const comments = of("GET /api/v1/{id}/comments");
  expect(comments.parameters).toEqual(
    expect.arrayContaining(
      ["Organization", "UserId", "WaitFor"].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ),
  );
  expect(comments).toMatchObject({ responses: { 200: { headers: { Link: {}, "Svc-Total-Count": {} } } } });
  expect(of("POST /api/v1/t")).toMatchObject({ responses: { 204: { headers: { "Svc-Position": {} } } } });
  expect(of("DELETE /api/v1/{id}")).toMatchObject({ responses: { 200: { headers: { "Svc-Position": {} } }, 405: {} } });
  for (const name of ["POST /firehose", "POST /api/v1/me/track"]) {
    expect(of(name).parameters).toContainEqual(expect.objectContaining({ in: "header", name: "Idempotency-Key" }));
    expect(of(name)).toMatchObject({ responses: { 200: { headers: { "Svc-Position": {} } } } });
  }
});
