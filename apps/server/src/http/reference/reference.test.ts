import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { createMetrics } from "../../runtime/measures/metrics.js";
import { Threads } from "../../runtime/threads/threads.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { documentOf } from "./openapi.js";
import { type ReferenceThreadCalls, writeReference } from "./write-reference.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ BRAND: "Hull" });
  await server.app.ready();
});
afterAll(() => server.close());

test("the document is the one of the routes, in both formats and at every address", async () => {
  const document = JSON.parse(JSON.stringify(documentOf(server.app)));
  const json = await server.app.inject("/api/v1/openapi.json");
  expect(json.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(json.json()).toEqual(document);
  expect((await server.app.inject("/docs/json")).body).toBe(json.body);
  const yaml = await server.app.inject("/docs/yaml");
  expect(yaml.headers["content-type"]).toBe("application/x-yaml");
  expect(parse(yaml.body)).toEqual(document);
});

test("a thread writes the same document", async () => {
  // Threads run built code: `npm test` builds before it runs the tests.
  const kind = {
    name: "reference",
    start: new URL("../../../dist/http/reference/thread/reference-thread.js", import.meta.url),
    limits: { maxOldGenerationSizeMb: 512 },
    execArgv: [],
  };
  const threads = new Threads({ logLevel: "silent", logger: pino({ level: "silent" }), metrics: createMetrics() });
  const schema = { summary: "Say hello", tags: ["greetings"], response: { 200: { type: "string" } } };
  const routes = [JSON.stringify({ method: "GET", url: "/hello/:name", schema, config: { access: "open" } })];
  const order = { format: "yaml", version: "1.2.3", brandWord: "Svc", routes } as const;
  const thread = threads.start<ReferenceThreadCalls>(kind);
  try {
    const written = await thread.calls.ask("write", [order]);
    expect(written).toBe(await writeReference(order));
    expect(parse(written).paths["/hello/{name}"].get).toMatchObject({ summary: "Say hello", "x-access": "open" });
  } finally {
    await thread.end();
  }
});
