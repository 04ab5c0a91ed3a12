import { createId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let connectorId: string;
beforeAll(async () => {
  server = await openTestServer();
  connectorId = server.first.connector.id;
});
afterAll(() => server.close());

function call(method: "GET" | "POST" | "PUT" | "DELETE", path: string, payload?: object) {
  const headers = server.connectorHeaders;
  return server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

/** The paths in a Link header, by relation. */
function linksOf(header: unknown): Record<string, string> {
  const links = [...String(header).matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, url, relation]) => [relation, String(url).replace(/^https?:\/\/[^/]+/, "")]));
}

test("a comment is created, read, changed and removed", async () => {
  const created = await call("POST", `/${connectorId}/comments`, { text: "first" });
  expect(created.statusCode).toBe(201);
  const { id } = created.json();
  expect(created.json()).toMatchObject({ object_id: connectorId, user: null, text: "first" });

  expect((await call("GET", `/${id}`)).json()).toEqual(created.json());
  const changed = await call("PUT", `/${id}`, { text: "second" });
  expect(changed.json()).toMatchObject({ id, text: "second", created_at: created.json().created_at });
  expect((await call("POST", `/${id}`, { text: "third" })).json()).toMatchObject({ text: "third" });

  expect((await call("DELETE", `/${id}`)).json()).toEqual({ id, deleted: true });
  expect((await call("GET", `/${id}`)).statusCode).toBe(404);
  expect((await call("DELETE", `/${id}`)).statusCode).toBe(404);
  expect((await call("PUT", `/${id}`, { text: "x" })).statusCode).toBe(404);
});

test("comments are paged, with the total and links to the other pages in headers", async () => {
  const object = (await call("POST", `/${connectorId}/comments`, { text: "thread" })).json().id;
  for (let index = 1; index <= 5; index++) await call("POST", `/${object}/comments`, { text: `reply ${index}` });

  const first = await call("GET", `/${object}/comments?per_page=2`);
  expect(first.json().map(({ text }: { text: string }) => text)).toEqual(["reply 1", "reply 2"]);
  expect(first.headers["svc-total-count"]).toBe("5");
  const at = (page: number) => `/api/v1/${object}/comments?per_page=2&page=${page}`;
  expect(linksOf(first.headers.link)).toEqual({ first: at(1), next: at(2), last: at(3) });

  const second = await call("GET", at(2).replace("/api/v1", ""));
  expect(second.json().map(({ text }: { text: string }) => text)).toEqual(["reply 3", "reply 4"]);
  expect(linksOf(second.headers.link)).toEqual({ first: at(1), prev: at(1), next: at(3), last: at(3) });

  const third = await call("GET", at(3).replace("/api/v1", ""));
  expect(third.json()).toHaveLength(1);
  expect(linksOf(third.headers.link)).toEqual({ first: at(1), prev: at(2), last: at(3) });
});

test("a page has 30 comments by default", async () => {
  const object = (await call("POST", `/${connectorId}/comments`, { text: "busy" })).json().id;
  for (let index = 0; index < 31; index++) await call("POST", `/${object}/comments`, { text: `reply ${index}` });
  expect((await call("GET", `/${object}/comments`)).json()).toHaveLength(30);
  expect((await call("GET", `/${object}/comments?page=2`)).json()).toHaveLength(1);
  expect((await call("GET", `/${object}/comments?page=3`)).json()).toEqual([]);
});

test("links do not contain credentials from the query", async () => {
  const { id, secret } = server.first.connector;
  const url = `/api/v1/${connectorId}/comments`;
  for (const query of [
    `id=${id}&secret=${secret}`,
    `app_id=${id}&access_token=${secret}`,
    `ship=${id}&secret=${secret}`,
  ]) {
    const answer = await server.app.inject(`${url}?${query}&page=1`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.link).not.toContain(secret);
    expect(linksOf(answer.headers.link).first).not.toMatch(/[?&](id|app_id|ship)=/);
  }
});

test.each(["page=0", "page=-1", "page=1.5", "per_page=0", "per_page=1001"])(
  "%s is refused, and the refusal names the parameter",
  async (query) => {
    const answer = await call("GET", `/${connectorId}/comments?${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatchObject({
      code: "invalid_parameter",
      details: [{ path: `querystring.${query.split("=")[0]}` }],
    });
  },
);

test("an object that does not exist cannot have comments", async () => {
  expect((await call("GET", `/${createId("comment")}/comments`)).statusCode).toBe(404);
  expect((await call("POST", `/${createId("user")}/comments`, { text: "x" })).statusCode).toBe(404);
});

test("a comment without text is refused, and the refusal names the parameter", async () => {
  const answer = await call("POST", `/${connectorId}/comments`, {});
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({
    message: "Required parameters are missing: text.",
    error: { code: "missing_parameters", details: [{ path: "body.text", message: "is required" }] },
  });
});
