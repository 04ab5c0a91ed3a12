import { CONTRACTS } from "@muster/protocol/api/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { documentOf } from "./openapi.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  await server.app.ready();
});
afterAll(() => server.close());

const PARTS = ["params", "querystring", "headers", "body", "response"] as const;

/** The schemas of a route, under the name that its operation has in the document. */
function declaredParts(): Map<string, object> {
  return new Map(
    [...server.app.declaredSchemas].map(([route, schema]) => {
      const parts = PARTS.filter((part) => schema[part] !== undefined).map((part) => [part, schema[part]]);
      return [route.replaceAll(/:(\w+)/g, "{$1}").replace("*", "{*}"), Object.fromEntries(parts)];
    }),
  );
}

const contracts: Record<string, Record<string, unknown>> = CONTRACTS;

test("every operation of the document has a contract", () => {
  const operations = Object.entries(documentOf(server.app).paths ?? {}).flatMap(([path, operationsOfPath]) =>
    Object.keys(operationsOfPath ?? {}).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations.sort()).toEqual(Object.keys(contracts).sort());
});

test("every route takes its schemas from the contract of its operation", () => {
  const declared = declaredParts();
  for (const [name, contract] of Object.entries(contracts)) {
    const parts = declared.get(name) as Record<string, unknown> | undefined;
    expect(parts && Object.keys(parts).sort(), name).toEqual(Object.keys(contract).sort());
    for (const part of PARTS) expect(parts?.[part], `${part} of ${name}`).toBe(contract[part]);
  }
});
