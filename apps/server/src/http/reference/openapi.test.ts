import { REFUSAL_STATUS } from "@muster/protocol";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listOperations } from "../../testing/operations.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { documentOf } from "./openapi.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ BRAND: "Hull" });
});
afterAll(() => server.close());

test("the document is valid OpenAPI 3.1 and needs no credentials", async () => {
  const answer = await server.app.inject("/api/v1/openapi.json");
  expect(answer.statusCode).toBe(200);
  const { valid, errors } = await new Validator().validate(answer.json());
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(answer.json().openapi).toBe("3.1.0");
});

test("every operation has a summary and a tag", async () => {
  const bare = (await listOperations(server.app)).filter(
    ({ operation }) => !operation.summary || !operation.tags?.length,
  );
  expect(bare.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

test("every operation has a name of its own, which clients are generated with and which stays", async () => {
  const operations = await listOperations(server.app);
  const names = operations.map(({ operation }) => operation.operationId ?? "");
  expect(names.filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  // A changed name breaks the clients that were generated before. `npx vitest run -u` with this file adds new operations.
  const lines = operations.map(({ method, path, operation }) => `${method} ${path}: ${operation.operationId}\n`).sort();
  await expect(lines.join("")).toMatchFileSnapshot("./operation-ids.txt");
});

test("an operation that needs credentials declares them and the refusals for them", async () => {
  const guarded = (await listOperations(server.app)).filter(({ access }) => !["open", "anyone"].includes(access));
  expect(guarded.length).toBeGreaterThan(5);
  for (const { access, operation } of guarded) {
    expect(operation.security).toContainEqual(access === "writer" ? { writeKey: [] } : { operator: [] });
    expect(Object.keys(operation.responses ?? {})).toEqual(expect.arrayContaining(["401", "402", "403", "429"]));
  }
});

test("the document begins with what callers send to prove who they are, in the brand's headers", () => {
  const [, heading, text = ""] = (documentOf(server.app).info.description ?? "").split(/^## (.*)$/m);
  expect(heading).toBe("Authentication");
  for (const words of [
    "`Hull-App-Id: ID` and `Hull-Access-Token: SECRET`",
    "`Authorization: Bearer TOKEN`",
    "`curl -u WRITE_KEY:`",
  ]) {
    expect(text).toContain(words);
  }
});

test("the security schemes use the brand's headers", () => {
  expect(documentOf(server.app).components?.securitySchemes).toMatchObject({
    connectorId: { in: "header", name: "Hull-App-Id" },
    connectorSecret: { in: "header", name: "Hull-Access-Token" },
    token: { in: "header", name: "Hull-Access-Token" },
    operator: { scheme: "bearer" },
  });
});

test("the error schema lists exactly the existing codes", () => {
  const schema = documentOf(server.app).components?.schemas?.Refusal;
  expect(schema).toHaveProperty("properties.error.properties.code.enum", Object.keys(REFUSAL_STATUS));
});

test("the reference page and the catch-all route are not in the document", () => {
  const paths = Object.keys(documentOf(server.app).paths ?? {});
  expect(paths).not.toContain("/api/v1/docs");
  expect(paths).not.toContain("/*");
});
