import { REFUSAL_STATUS } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listOperations } from "../../../testing/operations.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let page: string;
beforeAll(async () => {
  server = await openTestServer();
  page = (await server.app.inject("/docs")).body;
});
afterAll(() => server.close());

/** The addresses of the files that the page loads. */
function filesOfPage(): string[] {
  return [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? "");
}

test("/docs is an HTML page and /api/v1/docs leads to it", async () => {
  const answer = await server.app.inject("/docs");
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(page).toContain("<title>Muster API reference</title>");
  const redirect = await server.app.inject("/api/v1/docs");
  expect(redirect.statusCode).toBe(302);
  expect(redirect.headers.location).toBe("/docs");
});

test("the page loads the OpenAPI document of this server", async () => {
  const start = (await server.app.inject("/docs/static/swagger-initializer.js")).body;
  expect(start).toContain("url: resolveUrl('./json')");
  const loaded = await server.app.inject("/docs/json");
  expect(loaded.json()).toEqual((await server.app.inject("/api/v1/openapi.json")).json());
});

test("what the page loads has every operation with its summary, and says who may use it", async () => {
  const { paths } = (await server.app.inject("/docs/json")).json();
  const operations = await listOperations(server.app);
  expect(operations.length).toBeGreaterThan(50);
  for (const { method, path, operation, access } of operations) {
    const shown = paths[path][method.toLowerCase()];
    expect(shown).toMatchObject({ summary: operation.summary, tags: operation.tags, "x-access": access });
    expect(shown.description).toMatch(/(^|\n\n)Access: [^\n]+\.$/);
  }
});

test("what the page loads explains every error code, and every reference in it has its target", async () => {
  const text = (await server.app.inject("/docs/json")).body;
  const { components } = JSON.parse(text);
  for (const code of Object.keys(REFUSAL_STATUS))
    expect(components.schemas.Refusal.description).toContain(`\`${code}\``);
  const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  expect(references.filter(([, kind = "", name = ""]) => components[kind]?.[name] === undefined)).toEqual([]);
});

test("every file of the page comes from this server, without credentials", async () => {
  const files = filesOfPage();
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    expect(file).toMatch(/^\/docs\/static\//);
    expect([file, (await server.app.inject(file)).statusCode]).toEqual([file, 200]);
  }
  for (const file of files.filter((name) => name.endsWith(".css"))) {
    const { body } = await server.app.inject(file);
    const loaded = [...body.matchAll(/@import|url\(["']?(.{5})/g)].filter(([, start]) => start !== "data:");
    expect(loaded).toEqual([]);
  }
});

test("the page asks no validator on another host", async () => {
  const start = (await server.app.inject("/docs/static/swagger-initializer.js")).body;
  expect(start).toContain("validatorUrl: null");
  expect(start.replaceAll("https://stackoverflow.com/a/77855838/492336", "")).not.toMatch(/https?:\/\//);
});

test("the content security policy lets nothing through but files of this server, and no inline script", async () => {
  for (const url of ["/docs", "/docs/json", ...filesOfPage()]) {
    const { headers } = await server.app.inject(url);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';");
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
  }
  expect(page).not.toMatch(/<script(?![^>]* src=)|\son\w+=|javascript:/i);
});

test("texts of the document are data: the page holds none of them, and the document is never read as HTML", async () => {
  for (const { operation } of await listOperations(server.app)) expect(page).not.toContain(String(operation.summary));
  const { headers } = await server.app.inject("/docs/json");
  expect(headers["content-type"]).toMatch(/^application\/json/);
  expect(headers["x-content-type-options"]).toBe("nosniff");
});

test.each([
  "/docs/static/../../package.json",
  "/docs/static/%2e%2e/package.json",
  "/docs/static/none.js",
  "/docs/static/",
])("%s is not there", async (url) => {
  const answer = await server.app.inject(url);
  expect([403, 404]).toContain(answer.statusCode);
  expect(answer.json()).toMatchObject({ error: { code: expect.any(String) } });
});
