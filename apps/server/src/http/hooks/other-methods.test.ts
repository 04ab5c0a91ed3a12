import { afterAll, beforeAll, expect, test } from "vitest";
import { listOperations } from "../../testing/operations.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

test("every known path answers a method it does not have with 405 and Allow, without credentials", async () => {
  const operations = await listOperations(server.app);
  const paths = [...new Set(operations.map(({ path }) => path))];
  let refused = 0;
  for (const path of paths) {
    const has = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    for (const method of METHODS.filter((name) => !has.includes(name))) {
      const url = path.replace(/\{[^}]+\}/g, "x");
      const answer = await server.app.inject({ method, url });
      expect([method, path, answer.statusCode]).toEqual([method, path, 405]);
      expect(String(answer.headers.allow).split(", ")).toEqual(expect.arrayContaining(has));
      expect(answer.json()).toMatchObject({ status: 405, error: { code: "method_not_allowed" } });
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(10);
});

test("HEAD works where GET does", async () => {
  const answer = await server.app.inject({ method: "HEAD", url: "/api/v1/app", headers: server.connectorHeaders });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toBe("");
});

test("an unknown path is a 404 for every method, without credentials", async () => {
  for (const method of METHODS) {
    const answer = await server.app.inject({ method, url: "/nothing/here" });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ error: { code: "not_found" } });
  }
});
