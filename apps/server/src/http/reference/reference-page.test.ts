import { REFUSAL_STATUS } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listOperations } from "../../testing/operations.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { renderReference } from "./reference-page.js";

let server: TestServer;
let page: string;
beforeAll(async () => {
  server = await openTestServer();
  page = (await server.app.inject("/docs")).body;
});
afterAll(() => server.close());

test("/docs is an HTML page and /api/v1/docs leads to it", async () => {
  const answer = await server.app.inject("/docs");
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
  const redirect = await server.app.inject("/api/v1/docs");
  expect(redirect.statusCode).toBe(302);
  expect(redirect.headers.location).toBe("/docs");
});

test("the page shows every operation with its method, path and summary", async () => {
  for (const { method, path, operation } of await listOperations(server.app)) {
    expect(page).toContain(`<span class="method">${method}</span> <code>${path}</code>`);
    expect(page).toContain(`<p>${operation.summary?.replaceAll("'", "&#39;").split("`")[0]}`);
  }
});

test("the page lists every error code, and every link into the page has its target", () => {
  for (const code of Object.keys(REFUSAL_STATUS)) expect(page).toContain(`<code>${code}</code>`);
  const targets = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !targets.has(id))).toEqual([]);
});

test("no two parts of the page have the same id", () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("the page needs no script and no other file, so the content security policy lets all of it through", async () => {
  const { headers } = await server.app.inject("/docs");
  expect(headers["content-security-policy"]).toContain("script-src 'self'");
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|url\(|@import/i);
});

test("what a schema says is shown as text, never as markup", () => {
  const hostile = `<img src=x onerror="alert('1')">`;
  const rendered = renderReference({
    openapi: "3.1.0",
    info: { title: hostile, version: "1", description: hostile },
    paths: {
      "/<b>": {
        get: {
          tags: [hostile],
          summary: hostile,
          parameters: [{ name: hostile, in: "query", description: `\`${hostile}\``, schema: { type: "string" } }],
          responses: { 200: { description: hostile } },
        },
      },
    },
  });
  expect(rendered).not.toContain("<img");
  expect(rendered).not.toContain("<b>");
  expect(rendered).toContain("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;");
});

test("a body is explained field by field, nested ones by their path", () => {
  const rendered = renderReference({
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    components: { schemas: { Row: { type: "object", required: ["id"], properties: { id: { type: "string" } } } } },
    paths: {
      "/rows": {
        post: {
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["rows"],
                  properties: {
                    rows: { type: "array", items: { $ref: "#/components/schemas/Row" } },
                    mode: { enum: ["fast", "safe"] },
                    size: { type: "integer", minimum: 1, maximum: 9 },
                  },
                },
              },
            },
          },
          responses: { 204: { description: "Done" } },
        },
      },
    },
  });
  expect(rendered).toContain("<td><code>rows</code></td><td>array of object</td>\n<td>required</td>");
  expect(rendered).toContain("<td><code>rows[].id</code></td><td>string</td>\n<td>required</td>");
  expect(rendered).toContain("<td>&quot;fast&quot; | &quot;safe&quot;</td>\n<td>optional</td>");
  expect(rendered).toContain("<td>integer 1–9</td>");
  expect(rendered).toContain("<h4>Answer 204 Done</h4>");
});
