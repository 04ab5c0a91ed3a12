import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebServer } from "../../../../../../testing/start-web-server.js";
import { call, type JobAnswer, PATIENCE, runJob } from "../../../testing/bulk.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ IMPORT_MAX_BYTES: "2000000" });
});
afterAll(() => server.close());

const COMPLETED = { status: "completed", progress: { processed: 1 } };

interface Upload {
  id: string;
  url: string;
  received: number;
}

async function begin(): Promise<Upload> {
  const { status, body } = await call<Upload>(server, "POST", "/uploads");
  expect(status).toBe(201);
  return body;
}

async function send(id: string, offset: number, part: Buffer, headers: Record<string, string> = {}) {
  const answer = await server.app.inject({
    method: "PUT",
    url: `/api/v1/uploads/${id}?offset=${offset}`,
    headers: { ...server.connectorHeaders, "content-type": "application/octet-stream", ...headers },
    payload: part,
  });
  return { status: answer.statusCode, body: answer.json<Upload & { error: { code: string } }>() };
}

test("a file that comes in parts is imported whole", async () => {
  const file = Buffer.from('{"userId":"p1","plan":"pro"}\n{"userId":"p2","plan":"free"}\n');
  const { id, url } = await begin();
  expect(await send(id, 0, file.subarray(0, 20))).toMatchObject({ status: 200, body: { received: 20, url } });
  expect(await send(id, 20, file.subarray(20))).toMatchObject({ status: 200, body: { received: file.length } });
  const job = await runJob(server, "/import/users", { url, format: "json", name: "people.ndjson" });
  expect(job).toMatchObject({ status: "completed", name: "people.ndjson", progress: { processed: 2 } });
});

test("a part that does not follow the last one is refused, and the refusal says where the next part begins", async () => {
  const { id } = await begin();
  await send(id, 0, Buffer.from("abc"));
  for (const offset of [0, 2, 4]) {
    const { status, body } = await send(id, offset, Buffer.from("x"));
    expect(status).toBe(409);
    expect(body).toMatchObject({ error: { code: "conflict", message: expect.stringContaining("holds 3 bytes") } });
  }
});

test("an upload has a maximum size, and its parts are bytes", async () => {
  const { id } = await begin();
  expect(await send(id, 0, Buffer.alloc(2_000_001))).toMatchObject({ status: 413 });
  expect(await send(id, 0, Buffer.from("{}"), { "content-type": "application/json" })).toMatchObject({ status: 415 });
  expect(await send(id, 0, Buffer.alloc(17 * 1024 * 1024))).toMatchObject({ status: 413 });
});

const UNKNOWN = "0".repeat(32);

test("an unknown upload takes no parts and cannot be imported", async () => {
  for (const id of [UNKNOWN, "..%2f..%2fsecret.key", "x"]) {
    expect((await send(id, 0, Buffer.from("x"))).status).toBe(404);
  }
  const refused = await call(server, "POST", "/import/users", { url: `upload:${UNKNOWN}`, format: "json" });
  expect(refused).toMatchObject({ status: 404, body: { error: { message: `There is no upload "${UNKNOWN}".` } } });
});

test("an upload that was imported is unknown afterwards, and one that was only tried is not", async () => {
  const { id, url } = await begin();
  await send(id, 0, Buffer.from('{"userId":"once"}'));
  expect(await runJob(server, "/import/users", { url, format: "json", dry_run: true })).toMatchObject(COMPLETED);
  expect(await runJob(server, "/import/users", { url, format: "json" })).toMatchObject(COMPLETED);
  expect(await call(server, "POST", "/import/users", { url, format: "json" })).toMatchObject({ status: 404 });
});

test("an import that names an upload of another organization is refused like one of an unknown upload", async () => {
  const { id, url } = await begin();
  await send(id, 0, Buffer.from('{"userId":"mine"}'));
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/organizations",
    headers: server.operatorHeaders,
    payload: { namespace: "other" },
  });
  expect(created.statusCode).toBe(201);
  const headers = { ...server.operatorHeaders, "Svc-Organization": "other" };
  const start = (address: string) =>
    server.app.inject({
      method: "POST",
      url: "/api/v1/import/users",
      headers,
      payload: { url: address, format: "json" },
    });
  const [foreign, unknown] = [await start(url), await start(`upload:${UNKNOWN}`)];
  expect([foreign.statusCode, unknown.statusCode]).toEqual([404, 404]);
  expect(foreign.body.replaceAll(id, UNKNOWN)).toBe(unknown.body);
  const jobs = await server.app.inject({ url: "/api/v1/jobs", headers });
  expect(jobs.json()).toEqual([]);
  expect(await runJob(server, "/import/users", { url, format: "json" })).toMatchObject(COMPLETED);
});

test("a file or a callback on the private network of the server is not reached unless the settings allow it", async () => {
  const web = await startWebServer((_request, response) => response.end('{"userId":"secret"}'));
  try {
    const job = await runJob(server, "/import/users", { url: `${web.url}/users`, format: "json" });
    expect(job).toMatchObject({ status: "failed", error: expect.stringContaining("not a public address") });
    const extract = await runJob(server, "/extract/users", { url: web.url, format: "json", query: {} });
    await expect
      .poll(async () => (await call<JobAnswer>(server, "GET", `/${extract.id}`)).body.callback?.error, PATIENCE)
      .toContain("not a public address");
  } finally {
    await web.close();
  }
});
