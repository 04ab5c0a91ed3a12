// @module-tag long
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

// Recursive code such as JSON.stringify overflows its stack at both depths. A body of more values is refused for their number.
const lists = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const DEEP = [lists(100_000), lists(19_000), objects(19_000)];
const METHODS = ["post", "put", "patch", "delete"] as const;

interface Operation {
  requestBody?: { content?: Record<string, { schema?: { properties?: Record<string, unknown> } }> };
}
type Paths = Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>;

let server: TestServer;
let platformId: string;
let paths: Paths;

beforeAll(async () => {
  server = await openTestServer();
  const payload = { name: "Shop", domains: ["shop.test"] };
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/platforms",
    headers: server.operatorHeaders,
    payload,
  });
  platformId = created.json<{ id: string }>().id;
  paths = (await server.app.inject("/api/v1/openapi.json")).json<{ paths: Paths }>().paths;
});
afterAll(() => server.close());

/** Every call that takes a JSON body, with the names of the fields that its body may have. */
function callsWithBodies(): { method: "POST" | "PUT" | "PATCH" | "DELETE"; url: string; fields: string[] }[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const content = operations[method]?.requestBody?.content;
      if (!content) return [];
      const fields = Object.values(content).flatMap(({ schema }) => Object.keys(schema?.properties ?? {}));
      const url = path.replace(/\{[^}]+\}/g, platformId);
      return [{ method: method.toUpperCase() as "POST", url, fields: [...new Set(fields)] }];
    }),
  );
}

test("a value that is nested as deep as a body allows breaks no call", async () => {
  const calls = callsWithBodies();
  expect(calls.length).toBeGreaterThan(40);
  const broken: string[] = [];
  for (const { method, url, fields } of calls) {
    const each = Math.floor(19_000 / (fields.length + 1));
    const inFields = [lists, objects].map(
      (deep) => `{${["other", ...fields].map((name) => `"${name}":${deep(each)}`).join(",")}}`,
    );
    const bodies = [...DEEP, ...inFields];
    for (const payload of bodies) {
      for (const headers of [server.operatorHeaders, server.connectorHeaders, { origin: "https://shop.test" }]) {
        const request = { method, url, headers: { ...headers, "content-type": "application/json" }, payload };
        const { statusCode, body } = await server.app.inject(request);
        if (statusCode >= 500) broken.push(`${method} ${url}: ${statusCode} ${body.slice(0, 200)}`);
      }
    }
  }
  expect(broken).toEqual([]);
});

test("records of the gateway and of pages that are nested too deep are refused with the reason", async () => {
  const now = new Date().toISOString();
  const token = server.connectorHeaders;
  const entry = (attribute: string) =>
    `{"type":"traits","timestamp":"${now}","headers":${JSON.stringify(token)},"body":{"a":${attribute}}}`;
  const gateway = await server.app.inject({
    method: "POST",
    url: "/firehose",
    headers: { ...token, "content-type": "application/json" },
    payload: `{"timestamp":"${now}","sentAt":"${now}","batch":[${entry("1")},${entry(lists(9_000))},${entry(objects(9_000))}]}`,
  });
  expect(gateway.statusCode).toBeLessThan(500);
  expect(gateway.body).toMatch(/too deep.*too deep/);
  const record = (id: string, attribute: string) =>
    `{"id":"${id}","type":"traits","timestamp":"${now}","body":{"a":${attribute}}}`;
  const page = await server.app.inject({
    method: "POST",
    url: `/api/v1/${platformId}/records`,
    headers: { origin: "https://shop.test", "content-type": "text/plain" },
    payload: `{"bid":"b1","sid":"s1","sentAt":"${now}","batch":[${record("1", "1")},${record("2", lists(9_000))}]}`,
  });
  expect(page.statusCode).toBeLessThan(500);
  expect(page.body).toMatch(/too deep|nested/);
});
