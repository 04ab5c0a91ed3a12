// @module-tag long
import { createBrand, typeOfId } from "@muster/protocol";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { OpenAPIV3_1 } from "openapi-types";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listOperations, type TestOperation } from "../../testing/operations.js";
import { OBJECT_RULES } from "../../testing/route-rules.js";
import { openSeededServer, type SeededServer } from "../../testing/seeded-server.js";
import { signInByLink } from "../../testing/signed-in.js";
import type { Access } from "../auth/caller.js";
import type { Example } from "./examples/example.js";
import { EXAMPLE } from "./examples/example-values.js";
import { examplesOf } from "./examples/examples.js";
import { documentOf } from "./openapi.js";

const brand = createBrand("Svc");
const EXAMPLES = examplesOf(brand);
const WHERE = "apps/server/src/http/reference/examples (see CONTRIBUTING.md)";

let seeded: SeededServer;
let operations: Map<string, TestOperation>;
let ajv: Ajv2020;
beforeAll(async () => {
  seeded = await openSeededServer();
  const listed = await listOperations(seeded.server.app);
  operations = new Map(listed.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv, ["date-time", "uri"]);
  ajv.addSchema(JSON.parse(JSON.stringify(documentOf(seeded.server.app))), "document");
});
afterAll(() => seeded.close());

/** A part of an example, with the values of the seeded organization in place of those that the document shows. */
function withRealValues<Part>(part: Part): Part {
  const pairs = Object.entries(EXAMPLE)
    .map(([name, shown]) => [String(shown), seeded.values[name as keyof typeof EXAMPLE]] as const)
    // An address that begins with another one is replaced first.
    .sort(([one], [other]) => other.length - one.length);
  const text = pairs.reduce((before, [shown, real]) => before.replaceAll(shown, real), JSON.stringify(part));
  // Pages of entities, events and so on must not lead to the network.
  return JSON.parse(text.replaceAll(/https:\/\/\w+\.example\.com/g, seeded.values.connectorUrl)) as Part;
}

const CALLERS: Record<Access, NonNullable<Example["as"]>> = {
  open: "nobody",
  writer: "source",
  member: "member",
  anyone: "user",
  subject: "user",
  connector: "connector",
  operator: "operator",
};

async function credentialsOf(as: NonNullable<Example["as"]>): Promise<Record<string, string>> {
  switch (as) {
    case "member":
      // A session of its own, because an example may end it.
      return (await signInByLink(seeded.server, "grace@example.com")).headers;
    case "nobody":
      return {};
    case "source":
      return { authorization: `Basic ${btoa(`${seeded.values.serverKey}:`)}` };
    case "user":
      return { [brand.headers.accessToken]: seeded.values.token };
    case "connector":
      return seeded.connector.headers;
    case "operator":
      return seeded.server.operatorHeaders;
  }
}

function addressOf({ path, operation }: TestOperation, { parameters = {} }: Example): string {
  const declared = (operation.parameters ?? []).flatMap((parameter) => ("name" in parameter ? [parameter] : []));
  const placed = Object.entries(parameters).map(([name, value]) => {
    const found = declared.find((parameter) => parameter.name === name);
    if (!found) throw new Error(`The operation declares no parameter "${name}".`);
    return { name, value: String(value), in: found.in };
  });
  const url = placed
    .filter((parameter) => parameter.in === "path")
    .reduce((before, { name, value }) => before.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = placed
    .filter((parameter) => parameter.in === "query")
    .map(({ name, value }): [string, string] => [name, value]);
  return `${seeded.server.url}${url}${query.length === 0 ? "" : `?${new URLSearchParams(query)}`}`;
}

type Content = Record<string, OpenAPIV3_1.MediaTypeObject>;

/** Compiles the schema at a place of the document. */
function schemaAt(...path: string[]): ValidateFunction {
  const pointer = path.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  return ajv.compile({ $ref: `document#/${pointer}` });
}

function problemsOf(check: ValidateFunction, value: unknown): string[] {
  return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The status that an example expects, and what the document says about that answer. */
function expectedAnswer({ operation }: TestOperation, { status }: Example): { status: string; content: Content } {
  const declared = operation.responses ?? {};
  const expected = status ?? Object.keys(declared).find((name) => name.startsWith("2")) ?? "";
  const answer = declared[String(expected)];
  return { status: String(expected), content: (answer && "content" in answer && answer.content) || {} };
}

test(`every operation has an example: add a missing one to the file of its kind in ${WHERE}`, () => {
  const without = [...operations.keys()].filter((name) => !EXAMPLES[name]?.length);
  expect(without).toEqual([]);
});

test(`every example is of an operation: remove the others from ${WHERE}`, () => {
  expect(Object.keys(EXAMPLES).filter((name) => !operations.has(name))).toEqual([]);
});

test("examples of one operation have titles that differ, and the document shows their bodies and answers", () => {
  for (const [name, examples] of Object.entries(EXAMPLES)) {
    const titles = examples.map(({ title }) => title);
    if (examples.length > 1) expect([name, new Set(titles).size, titles]).toEqual([name, examples.length, titles]);
    const shown = JSON.stringify(operations.get(name)?.operation);
    for (const { body, answer } of examples) {
      if (body !== undefined) expect(shown).toContain(`"value":${JSON.stringify(body)}`);
      if (answer !== undefined) expect(shown).toContain(`"value":${JSON.stringify(answer)}`);
    }
  }
});

test(`every type of object that can be read or changed under /:id has an example of that: add it to ${WHERE}`, () => {
  const typesIn = (name: string) => new Set((EXAMPLES[name] ?? []).map(({ parameters }) => typeOf(parameters?.id)));
  const types = Object.entries(OBJECT_RULES);
  const missing = (name: string, wanted: typeof types) => {
    return wanted.filter(([type]) => !typesIn(name).has(type)).map(([type]) => `${name} of ${type}`);
  };
  const readable = types.filter(([, [read]]) => read !== "-");
  const changeable = types.filter(([, [, change]]) => change !== "-");
  expect([
    ...missing("GET /api/v1/{id}", readable),
    ...missing("PUT /api/v1/{id}", changeable),
    ...missing("POST /api/v1/{id}", changeable),
  ]).toEqual([]);
});

/** The type of the object that the id of an example names. */
function typeOf(id: unknown): string | undefined {
  if (id === "app") return "connector";
  return id === "org" ? "organization" : typeOfId(String(id));
}

/** What ends something that other examples need is sent last. */
function isLast(name: string): boolean {
  return name.startsWith("DELETE") || name === "POST /api/v1/rebuild" || name.endsWith("/dead_letters/discard");
}

/** The headers that are declared for an answer, without those that only some answers have. */
function alwaysAnswered({ operation }: TestOperation, status: string): string[] {
  const answer = operation.responses?.[status];
  const declared = answer && "headers" in answer ? Object.keys(answer.headers ?? {}) : [];
  const mayOnlyShow = JSON.stringify(operation.requestBody ?? "").includes('"dry_run"');
  const isSometimes = (name: string) =>
    name === brand.headers.incomplete ||
    (name === brand.headers.position && (operation.tags?.includes("objects") || mayOnlyShow));
  return declared.filter((name) => !isSometimes(name));
}

const CASES = Object.entries(EXAMPLES)
  .sort(([one], [other]) => Number(isLast(one)) - Number(isLast(other)))
  .flatMap(([name, examples]) => examples.map((example) => [name, example.title ?? "", example] as const));

describe("an example is answered as the document says:", () => {
  test.each(CASES)("%s %s", async (name, _title, shown) => {
    const operation = operations.get(name);
    if (!operation) return; // Another test names it.
    const { method, path, access, operation: described } = operation;
    const example = withRealValues(shown);
    const { requestBody } = described;
    const bodyContent = requestBody && "content" in requestBody ? requestBody.content : {};
    const [bodyType] = Object.keys(bodyContent);
    const at = ["paths", path, method.toLowerCase()];
    if (example.body !== undefined) {
      expect(bodyType, "the operation declares no body").toBeDefined();
      const check = schemaAt(...at, "requestBody", "content", bodyType ?? "", "schema");
      expect(problemsOf(check, example.body), "the body does not fit its schema").toEqual([]);
    }
    const isText = bodyType === "application/octet-stream";
    const hasBody = example.body !== undefined && example.body !== null;
    const answer = await fetch(addressOf(operation, example), {
      method,
      headers: {
        ...(await credentialsOf(example.as ?? CALLERS[access])),
        ...example.headers,
        ...(hasBody ? { "content-type": bodyType ?? "" } : {}),
      },
      ...(hasBody ? { body: isText ? String(example.body) : JSON.stringify(example.body) } : {}),
    });
    const text = await answer.text();
    const expected = expectedAnswer(operation, example);
    expect([String(answer.status), text.slice(0, 500)]).toEqual([expected.status, text.slice(0, 500)]);
    for (const header of alwaysAnswered(operation, expected.status)) {
      expect(answer.headers.has(header), `the header ${header} is declared and missing`).toBe(true);
    }
    if (expected.status === "204") return expect(text).toBe("");

    const type = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
    expect(Object.keys(expected.content), "the type of the answer is not declared").toContain(type);
    const check = schemaAt(...at, "responses", expected.status, "content", type, "schema");
    const value: unknown = type === "application/json" ? JSON.parse(text) : text;
    expect(problemsOf(check, value), `the answer does not fit its schema: ${text.slice(0, 1_000)}`).toEqual([]);
    if (shown.answer !== undefined) {
      expect(problemsOf(check, shown.answer), "the answer of the example does not fit the schema").toEqual([]);
    }
  });
});
