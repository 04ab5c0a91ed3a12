import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { call, download, ended, type JobAnswer, runJob } from "../../testing/bulk.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const EXTRACT = { url: null, format: "json", query: {} };

async function erase(external_id: string): Promise<void> {
  const { id } = await sender.user({ external_id });
  const answer = await sender.call("DELETE", `/${id}`);
  expect(answer.statusCode).toBe(200);
}

test("a file that was made before an erasure cannot be downloaded any more, and its job says why", async () => {
  await sender.settle(["early-one", "early-two"].map((name) => sender.traits({ user: { external_id: name } }, {})));
  const job = await runJob(server, "/extract/users", EXTRACT);
  expect(await download(server, job.download_url)).toContain("early-one");
  await erase("early-one");
  await expect(download(server, job.download_url)).rejects.toThrow("404");
  const { body } = await call<JobAnswer>(server, "GET", `/${job.id}`);
  expect(body.download_url).toBeUndefined();
  expect(body.result).toMatchObject({ file_removed: expect.stringContaining("was erased") });
  const again = await runJob(server, "/extract/users", EXTRACT);
  const content = await download(server, again.download_url);
  expect(content).toContain("early-two");
  expect(content).not.toContain("early-one");
});

test("an extract that runs during an erasure is written again, without the erased user", async () => {
  await sender.settle(["during-one", "during-two"].map((name) => sender.traits({ user: { external_id: name } }, {})));
  const writeJsonLines = server.questions.writeJsonLines.bind(server.questions);
  let isErased = false;
  const spy = vi.spyOn(server.questions, "writeJsonLines").mockImplementation(async (...given) => {
    const rows = await writeJsonLines(...given);
    // The rows are in a file now.
    if (!isErased) await erase("during-one");
    isErased = true;
    return rows;
  });
  const created = await call<JobAnswer>(server, "POST", "/extract/users", EXTRACT);
  const job = await ended(server, created.body.id);
  spy.mockRestore();
  expect(job).toMatchObject({ status: "completed", error: null });
  const content = await download(server, job.download_url);
  expect(content).toContain("during-two");
  expect(content).not.toContain("during-one");
});

test("an erasure between the last look at the file and the end of the job is not missed either", async () => {
  await sender.settle(["last-one", "last-two"].map((name) => sender.traits({ user: { external_id: name } }, {})));
  const query = server.database.query.bind(server.database);
  let looks = 0;
  const spy = vi.spyOn(server.database, "query").mockImplementation(async (text, values) => {
    const found = await query(text, values);
    if (/max\(.+ from eras/.test(text)) {
      looks += 1;
      // The first look is before the file is written, and the second one after it.
      if (looks === 2) await erase("last-one");
    }
    // The caller has written the statement and the type of its rows.
    return found as never;
  });
  onTestFinished(() => spy.mockRestore());
  const created = await call<JobAnswer>(server, "POST", "/extract/users", EXTRACT);
  const job = await ended(server, created.body.id);
  expect(looks).toBeGreaterThanOrEqual(2);
  expect(job).toMatchObject({ status: "completed", error: null });
  const content = await download(server, job.download_url);
  expect(content).toContain("last-two");
  expect(content).not.toContain("last-one");
});

test("an upload from before an erasure does not bring the user back, also when its import is requested later", async () => {
  await sender.settle([sender.traits({ user: { external_id: "c1" } }, {})]);
  const upload = await call<{ id: string; url: string }>(server, "POST", "/uploads");
  await server.app.inject({
    method: "PUT",
    url: `/api/v1/uploads/${upload.body.id}?offset=0`,
    headers: { ...server.connectorHeaders, "content-type": "application/octet-stream" },
    payload: '{"userId":"c1"}\n{"userId":"c2"}',
  });
  await erase("c1");
  const job = await runJob(server, "/import/users", { url: upload.body.url, format: "json" });
  expect(job).toMatchObject({ status: "completed", progress: { processed: 2, rejected: 0 } });
  expect(await sender.isKnown({ external_id: "c1" })).toBe(false);
  expect(await sender.isKnown({ external_id: "c2" })).toBe(true);
});
