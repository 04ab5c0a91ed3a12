// @module-tag long
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { call, ended, type JobAnswer } from "../testing/bulk.js";
import { Sender } from "../testing/sender.js";
import { canMount, openSmallDisk, type SmallDisk } from "../testing/small-disk.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const MB = 1024 * 1024;
const PATIENTLY = { timeout: 30_000, interval: 100 };

describe.runIf(canMount)("with a data directory on a small disk", () => {
  let disk: SmallDisk;
  let server: TestServer;
  let sender: Sender;
  beforeAll(async () => {
    disk = await openSmallDisk(700 * MB);
    server = await openTestServer({ DATABASE_URL: "", DATA_DIR: `${disk.path}/data` });
    sender = new Sender(server);
    await sender.settle([sender.traits({ user: { external_id: "1" } }, { name: "Ada" })]);
  }, 60_000);
  afterAll(async () => {
    await disk.empty();
    await server.close();
    await disk.close();
  }, 60_000);

  const gateway = () => sender.post([sender.traits({ user: { external_id: "2" } }, { at: Date.now() })]);
  const segment = () =>
    sender.call("POST", "/users_segments", {
      payload: { name: `S${Date.now()}`, predicate: {}, query: { exists: { field: "name" } } },
    });
  const upload = () => sender.call("POST", "/uploads");
  const part = (id: string, body: Buffer) =>
    sender.call("PUT", `/uploads/${id}?offset=0`, {
      payload: body,
      headers: { "content-type": "application/octet-stream" },
    });
  const search = () => sender.call("POST", "/search/user_reports", { payload: { query: { match_all: {} } } });

  async function expectRefused(act: () => ReturnType<typeof gateway>): Promise<void> {
    const answer = await vi.waitFor(async () => {
      const refused = await act();
      expect(refused.statusCode).toBe(503);
      return refused;
    }, PATIENTLY);
    expect(answer.json().error).toMatchObject({ code: "unavailable", message: expect.stringMatching(/disk/) });
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
  }

  async function expectReads(): Promise<void> {
    expect((await server.app.inject("/readyz")).statusCode).toBe(200);
    expect((await sender.user({ external_id: "1" })).name).toBe("Ada");
    expect((await search()).statusCode).toBe(200);
  }

  async function expectAllWorks(): Promise<void> {
    for (const act of [gateway, upload, segment]) {
      await vi.waitFor(async () => expect(Math.floor((await act()).statusCode / 100)).toBe(2), PATIENTLY);
    }
    await sender.settle([sender.traits({ user: { external_id: "1" } }, { seen_at: Date.now() })]);
    await expectReads();
  }

  test("when it is nearly full, entries and uploads are refused and everything else works", async () => {
    const { id } = (await upload()).json<{ id: string }>();
    disk.fill(150 * MB);
    await expectRefused(gateway);
    await expectRefused(upload);
    await expectRefused(() => part(id, Buffer.alloc(MB)));
    expect((await segment()).statusCode).toBe(201);
    await expectReads();

    await disk.empty();
    await expectAllWorks();
    expect((await part(id, Buffer.alloc(MB))).json()).toMatchObject({ received: MB });
  }, 60_000);

  test("when it is full, every write is refused, reads go on, and all recovers when there is space again", async () => {
    disk.fill(0);
    for (const act of [gateway, upload, segment]) await expectRefused(act);
    await expectReads();

    await disk.empty();
    await expectAllWorks();
  }, 60_000);

  test("an extract waits while the disk is nearly full, and is completed afterwards", async () => {
    disk.fill(150 * MB);
    await expectRefused(upload);
    const body = { url: null, format: "json", query: {} };
    const { id } = (await call<JobAnswer>(server, "POST", "/extract/user_reports", body)).body;
    await vi.waitFor(async () => {
      const { status, error } = (await call<JobAnswer>(server, "GET", `/${id}`)).body;
      expect([status, error]).toEqual([expect.stringMatching(/^(?!failed)/), "The disk is nearly full."]);
    }, PATIENTLY);
    await disk.empty();
    expect(await ended(server, id)).toMatchObject({ status: "completed" });
  }, 60_000);

  test("a server that is started while the disk is nearly full reads, and writes when there is space again", async () => {
    await server.close();
    disk.fill(40 * MB);
    server = await openTestServer({ DATABASE_URL: "", DATA_DIR: `${disk.path}/data` });
    sender = new Sender(server);
    await expectRefused(segment);
    await expectReads();

    await disk.empty();
    await expectAllWorks();
  }, 60_000);

  test("a PostgreSQL that is killed while the disk is full works again when there is space", async () => {
    disk.fill(0);
    await expectRefused(segment);
    const pidFile = await readFile(join(server.dataDir, "postgres", "postmaster.pid"), "utf8");
    process.kill(Number.parseInt(pidFile, 10), "SIGKILL");
    await vi.waitFor(async () => expect((await server.app.inject("/readyz")).statusCode).toBe(503), PATIENTLY);
    await disk.empty();
    await expectAllWorks();
  }, 60_000);
});
