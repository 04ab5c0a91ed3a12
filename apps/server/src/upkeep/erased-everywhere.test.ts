// @module-tag long
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { call, ended, type JobAnswer, PATIENCE, runJob } from "../testing/bulk.js";
import { ConnectorApp, type Respond, smartManifest } from "../testing/connector-app.js";
import { placesOf } from "../testing/everything-stored.js";
import { openOrganization, Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { cleanErased } from "./clean-erased.js";

const ZELDA = { external_id: "zelda-ext", email: "zelda@hyrule.example", anonymous_id: "zelda-cookie" };
const LINK = { external_id: "link" };
const HYRULE = { external_id: "hyrule-1", domain: "hyrule-corp.example" };

/** Answers with what was sent, so that the dead letters hold every message of the call. */
const refuse: Respond = (sent, response) => void response.writeHead(400).end(sent.text);

let server: TestServer;
let sender: Sender;
let holding: ConnectorApp;
let broken: ConnectorApp;
const connectors: { id: string; secret: string }[] = [];

beforeAll(async () => {
  server = await openTestServer({ DELIVERY_RETRY_MS: "20", DELIVERY_ATTEMPTS: "1" });
  await server.listen();
  sender = new Sender(server);
  holding = await ConnectorApp.open(smartManifest());
  broken = await ConnectorApp.open(smartManifest(), refuse);
  for (const app of [holding, broken]) connectors.push(await app.install(server));
  await operator("PUT", `/${connectors[0]?.id}`, { enabled: false, when_disabled: "hold" });
});
afterAll(async () => {
  await server.close();
  await holding.close();
  await broken.close();
});

function operator(method: "GET" | "POST" | "PUT" | "DELETE", path: string, payload?: object) {
  const headers = server.operatorHeaders;
  return server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

async function untilDeadLetter(objectId: string): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await server.database.query("select from dead_letters where object_id = $1", [objectId]);
    expect(rows.length).toBeGreaterThan(0);
  }, PATIENCE);
}

/** Uploads lines and schedules an import of them for a later time. */
async function scheduleImport(lines: readonly object[]): Promise<string> {
  const upload = await call<{ id: string; url: string }>(server, "POST", "/uploads");
  const part = lines.map((line) => JSON.stringify(line)).join("\n");
  const sent = await server.app.inject({
    method: "PUT",
    url: `/api/v1/uploads/${upload.body.id}?offset=0`,
    headers: { ...server.connectorHeaders, "content-type": "application/octet-stream" },
    payload: part,
  });
  expect(sent.statusCode).toBe(200);
  const schedule = {
    url: upload.body.url,
    format: "json",
    schedule_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  return (await call<JobAnswer>(server, "POST", "/import/users", schedule)).body.id;
}

async function runNow(jobId: string): Promise<JobAnswer> {
  await server.database.query("update jobs set due_at = now() where id = $1", [jobId]);
  return ended(server, jobId, { timeout: 40_000, interval: 50 });
}

interface Receipt {
  id: string;
  type: string;
  status: string;
  removed: Record<string, number>;
  cleaned: Record<string, number> | null;
  copies: { where: string; gone_by: string | null }[];
}

/** The receipt once everything is clean. The server lets some minutes pass between two clean-ups; tests do not. */
async function cleaned(id: string): Promise<Receipt> {
  const options = { ...server, logger: pino({ level: "silent" }), timing: { settleMs: 3_000, paceMs: 0 } };
  return vi.waitUntil(
    async () => {
      await cleanErased(options, new AbortController().signal);
      const receipt = (await sender.call("GET", `/erasures/${id}`)).json<Receipt>();
      return receipt.status === "complete" ? receipt : undefined;
    },
    { timeout: 60_000, interval: 200 },
  );
}

test("an erased user is nowhere any more: in no table, no file, and no import brings the user back", async () => {
  const organizationId = server.first.organization.id;
  const account = { external_id: "castle" };
  const known = { external_id: ZELDA.external_id, email: ZELDA.email };
  await sender.settle([sender.traits({ user: { anonymous_id: "zelda-cookie" } }, { via: "zelda-ads" })]);
  await sender.settle([
    sender.traits({ user: known, account }, { name: "Zelda Z", age: 30 }),
    sender.track({ user: known }, "Ordered", { event_id: "zelda-order", properties: { to: "zelda street" } }),
    sender.traits({ user: LINK, account }, { plan: "pro" }),
  ]);
  await sender.settle([
    sender.traits({ user: ZELDA }, { age: "zelda-age" }),
    sender.entry("alias", { user: LINK }, { email: ZELDA.email }),
  ]);
  const { id } = await sender.user(ZELDA);
  const { id: linkId } = await sender.user(LINK);
  await server.app.inject({
    method: "POST",
    url: "/api/v1/users/login",
    payload: { access_token: sender.token({ user: ZELDA }) },
  });
  await sender.call("POST", `/${id}/comments`, { payload: { text: "about zelda" } });
  await sender.callAs({ user: ZELDA }, "POST", "/me/comments", { payload: { text: "by zelda" } });
  const written = await sender.call("POST", `/${linkId}/comments`, { payload: { text: "zelda was here" } });
  await server.database.query("update comments set author_id = $2 where id = $1", [written.json().id, id]);
  const log = { level: "info", message: "sent zelda@hyrule.example", data: { user_id: id } };
  await sender.call("POST", `/${server.first.connector.id}/logs`, { payload: [log, { message: "other line" }] });
  await untilDeadLetter(id);
  await untilDeadLetter(linkId);
  const extract = await runJob(server, "/extract/users", { url: null, format: "json", query: {} });
  expect(extract.download_url).toBeDefined();
  const waiting = await scheduleImport([
    { userId: "zelda-ext", traits: { name: "Zelda again" } },
    { email: "Zelda@Hyrule.example", traits: { name: "Zelda by mail" } },
    { userId: "epona", traits: { name: "Epona" } },
  ]);
  const aside = join(server.dataDir, "questions", `${organizationId}.duckdb.2026-01-01T00-00-00.000Z.unreadable`);
  await mkdir(join(server.dataDir, "questions"), { recursive: true });
  await writeFile(aside, "zelda");
  const before = await placesOf(server, "zelda");
  expect(before).toEqual(
    expect.arrayContaining([
      "changes",
      "comments",
      "connector_logs",
      "dead_letters",
      "event_keys",
      "ingest_log",
      "merges",
      "message_batches",
      "rejected_entries",
      "user_identifiers",
      "users",
    ]),
  );

  const answer = await sender.call("DELETE", `/${id}`);
  expect(answer.json()).toMatchObject({
    id,
    deleted: true,
    position: answer.headers["svc-position"],
    receipt: { id, type: "user", removed: { profiles: 2, identifiers: 3, extract_files: 1, sign_ins: 1 } },
  });
  const receipt = await cleaned(id);
  expect(receipt.removed.comments).toBeGreaterThanOrEqual(2);
  expect(receipt.cleaned).toMatchObject({ connector_logs: 1, queued_messages: expect.any(Number) });
  expect(receipt.copies.find(({ where }) => where === "backups")?.gone_by).toBeNull();
  expect(JSON.stringify(receipt)).not.toMatch(/zelda/i);
  await vi.waitFor(async () => {
    // The file of the waiting import stays until its job ends.
    const left = (await placesOf(server, "zelda")).filter((place) => !place.startsWith(join("files", "imports")));
    expect(left).toEqual([]);
  }, PATIENCE);
  const gone = (await sender.call("GET", `/${extract.id}`)).json<JobAnswer>();
  expect(gone.download_url).toBeUndefined();
  expect(gone.result).toMatchObject({ file_removed: expect.stringContaining("erased") });

  const imported = await runNow(waiting);
  expect(imported.status).toBe("completed");
  expect(await sender.isKnown({ external_id: "epona" })).toBe(true);
  expect(await sender.isKnown({ external_id: "zelda-ext" })).toBe(false);
  expect(await sender.isKnown({ email: "zelda@hyrule.example" })).toBe(false);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  await sender.settle([
    { ...sender.traits({ user: ZELDA }, { name: "Zelda late" }), timestamp: yesterday },
    sender.traits({ user: LINK }, { plan: "free" }),
  ]);
  expect(await sender.isKnown(ZELDA)).toBe(false);
  await vi.waitFor(async () => expect(await placesOf(server, "zelda")).toEqual([]), { timeout: 60_000, interval: 500 });

  holding.calls.length = 0;
  await operator("PUT", `/${connectors[0]?.id}`, { enabled: true });
  await holding.until(({ calls }) => calls.some(({ text }) => text.includes("user:delete")));
  expect(JSON.stringify(holding.calls)).not.toMatch(/zelda/i);
  expect(await sender.user(LINK)).toMatchObject({ traits_plan: "free" });

  await sender.settle([sender.traits({ user: ZELDA }, { name: "Somebody new" })]);
  const reborn = await sender.user(ZELDA);
  expect(reborn.id).not.toBe(id);
}, 180_000);

test("an erased account is nowhere any more, and its users stay", async () => {
  await operator("PUT", `/${connectors[0]?.id}`, { enabled: false, when_disabled: "hold" });
  // A connector of its own: the pauses of one that has refused many calls in a row are long.
  const other = await ConnectorApp.open(smartManifest(), refuse);
  onTestFinished(() => other.close());
  await other.install(server);
  const user = { external_id: "impa" };
  await sender.settle([
    sender.traits({ account: HYRULE }, { name: "Hyrule Corp" }),
    sender.traits({ user, account: HYRULE }, { plan: "pro" }),
  ]);
  const { id, account_id } = await sender.user(user);
  await untilDeadLetter(String(id));
  await sender.settle([sender.entry("incinerate", { account: HYRULE }, {})]);
  const receipt = await cleaned(String(account_id));
  expect(receipt).toMatchObject({ type: "account", removed: { profiles: 1, identifiers: 2 } });
  expect(await placesOf(server, "hyrule-corp", "hyrule-1", "hyrule corp")).toEqual([]);
  expect(await sender.user(user)).toMatchObject({ traits_plan: "pro", account: null });
  const listed = (await sender.call("GET", "/erasures")).json<Receipt[]>();
  expect(listed[0]?.id).toBe(account_id);
}, 120_000);

test("an erasure cannot be read from another organization", async () => {
  const other = await openOrganization(server, "gerudo");
  const [known] = (await sender.call("GET", "/erasures")).json<Receipt[]>();
  expect((await other.call("GET", `/erasures/${known?.id}`)).statusCode).toBe(404);
  expect((await other.call("GET", "/erasures")).json()).toEqual([]);
});
