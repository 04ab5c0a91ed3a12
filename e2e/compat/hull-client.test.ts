// @module-tag long
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../testing/free-port.js";
import { type Credentials, printedCredentials } from "../support/credentials.js";
import { type MusterProcess, startMuster } from "../support/muster-process.js";
import { prepareDataDir } from "../support/prepare-data-dir.js";
import { PATIENCE } from "./support/patience.js";

const LIBRARY = "hull-client@2.0.4";

/** The parts of the published client that are used here. */
interface PublishedClient {
  asUser(claims: object, additional?: object): PublishedUser;
  asAccount(claims: object): { traits(attributes: object): Promise<unknown> };
  get(path: string, params?: object): Promise<unknown>;
  post(path: string, params?: object): Promise<unknown>;
  put(path: string, params?: object): Promise<unknown>;
  utils: {
    settings: { update(settings: object): Promise<{ private_settings: object }> };
    properties: { get(): Promise<Record<string, { type: string }>> };
  };
}

interface PublishedUser {
  traits(attributes: object): Promise<unknown>;
  track(event: string, properties?: object, context?: object): Promise<unknown>;
  token(claims?: object): string;
  alias(body: object): Promise<unknown>;
  unalias(body: object): Promise<unknown>;
  account(claims: object): { traits(attributes: object): Promise<unknown> };
}

type Report = Record<string, unknown> & { id: string; account?: Record<string, unknown>; anonymous_ids: string[] };

let folder: string;
let muster: MusterProcess;
let client: PublishedClient;
let credentials: Credentials;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-compat-"));
  await writeFile(join(folder, "package.json"), '{"private":true}');
  const install = ["install", LIBRARY, "--no-audit", "--no-fund", "--ignore-scripts"];
  await promisify(execFile)("npm", install, { cwd: folder });
  await prepareDataDir(join(folder, "data"));
  port = await freePort();
  muster = startMuster({
    dataDir: join(folder, "data"),
    port,
    command: [process.execPath, "apps/server/bundle/main.js"],
    environment: { BRAND: "Hull", LOG_LEVEL: "error" },
  });
  await muster.ready();
  credentials = await printedCredentials(muster);
  const Client = createRequire(join(folder, "index.js"))("hull-client");
  Client.logger.transports.console.level = "error";
  client = new Client({
    ...credentials,
    organization: `127.0.0.1:${port}`,
    firehoseUrl: `http://127.0.0.1:${port}/firehose`,
    protocol: "http",
  });
}, 300_000);

afterAll(async () => {
  muster?.kill("SIGTERM");
  await muster?.ended;
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The one user that a term finds, once `check` holds for what is found. */
async function eventually(term: object, check: (report: Report) => void): Promise<Report> {
  return vi.waitFor(async () => {
    const { data } = (await client.post("search/user_reports", { query: { term } })) as { data: Report[] };
    expect(data).toHaveLength(1);
    check(data[0] as Report);
    return data[0] as Report;
  }, PATIENCE);
}

test("traits: values, operations and groups", async () => {
  const user = client.asUser({ external_id: "traits", email: "Traits@Example.com" });
  await user.traits({
    plan: "pro",
    visits: { operation: "inc", value: 2 },
    "crm/stage": "won",
    signed_up_at: "2026-01-02",
  });
  await user.traits({ visits: { operation: "increment", value: 3 }, plan: { operation: "setIfNull", value: "free" } });
  await eventually({ external_id: "traits" }, (report) => {
    expect(report).toMatchObject({
      traits_plan: "pro",
      traits_visits: 5,
      "traits_crm/stage": "won",
      traits_signed_up_at: expect.stringContaining("2026-01-02"),
    });
    expect(String(report.email).toLowerCase()).toBe("traits@example.com");
  });
});

test("track: an event with its context, once for each event id", async () => {
  const user = client.asUser({ external_id: "track" });
  const context = { source: "shop", type: "order", event_id: "order-1", created_at: "2026-02-03T04:05:06.000Z" };
  await user.track("Order placed", { total: 100 }, { ...context });
  await user.track("Order placed", { total: 120 }, { ...context });
  const { id } = await eventually({ external_id: "track" }, () => {});
  await vi.waitFor(async () => {
    const { data } = (await client.post("search/events", { query: { term: { user_id: id } } })) as {
      data: unknown[];
    };
    expect(data).toMatchObject([
      {
        event: "Order placed",
        event_id: "order-1",
        event_source: "shop",
        event_type: "order",
        created_at: "2026-02-03T04:05:06.000Z",
        properties: { total: 120 },
      },
    ]);
  }, PATIENCE);
});

test("alias and unalias: an anonymous visitor becomes part of the user, and its id leaves again", async () => {
  await client.asUser({ anonymous_id: "visitor-1" }).traits({ first_page: "/pricing" });
  const user = client.asUser({ external_id: "alias" });
  await user.traits({ plan: "pro" });
  await user.alias({ anonymous_id: "visitor-1" });
  await eventually({ external_id: "alias" }, (report) => {
    expect(report).toMatchObject({ traits_first_page: "/pricing", traits_plan: "pro", anonymous_ids: ["visitor-1"] });
  });
  await user.unalias({ anonymous_id: "visitor-1" });
  await eventually({ external_id: "alias" }, (report) => expect(report.anonymous_ids ?? []).toEqual([]));
});

test("account: the user is linked, and the attributes are the account's", async () => {
  const user = client.asUser({ external_id: "linked" });
  await user.traits({ role: "owner" });
  await user.account({ domain: "acme.example.com" }).traits({ name: "Acme", employees: 120 });
  await eventually({ external_id: "linked" }, (report) => {
    expect(report.account).toMatchObject({ domain: "acme.example.com", name: "Acme", employees: 120 });
    expect(report).not.toHaveProperty("traits_employees");
  });
  await client.asAccount({ domain: "acme.example.com" }).traits({ employees: 130 });
  await eventually({ external_id: "linked" }, (report) => expect(report.account).toMatchObject({ employees: 130 }));
});

test("create: false creates no user", async () => {
  await client.asUser({ external_id: "nobody" }, { create: false }).traits({ plan: "pro" });
  await client.asUser({ external_id: "after-nobody" }).traits({ plan: "pro" });
  await eventually({ external_id: "after-nobody" }, () => {});
  const { data } = (await client.post("search/user_reports", { query: { term: { external_id: "nobody" } } })) as {
    data: unknown[];
  };
  expect(data).toEqual([]);
});

test("token: it reads its user, signs the user in, and identifies the entry of a batch", async () => {
  const user = client.asUser({ external_id: "token", email: "token@example.com" });
  await user.traits({ plan: "pro" });
  await eventually({ external_id: "token" }, () => {});
  const base = `http://127.0.0.1:${port}`;
  const json = { "content-type": "application/json" };
  const identified = { "hull-app-id": credentials.id, "hull-access-token": user.token() };
  const me = await fetch(`${base}/api/v1/me`, { headers: identified });
  expect([me.status, await me.json()]).toMatchObject([200, { email: "token@example.com", is_admin: false }]);
  const traits = { method: "PUT", headers: { ...json, ...identified }, body: JSON.stringify({ note: "by token" }) };
  expect((await fetch(`${base}/api/v1/me/traits`, traits)).status).toBe(200);
  const login = { method: "POST", headers: json, body: JSON.stringify({ access_token: user.token() }) };
  const signedIn = await fetch(`${base}/api/v1/users/login`, login);
  expect([signedIn.status, await signedIn.json()]).toMatchObject([
    200,
    { email: "token@example.com", confirmed: true },
  ]);
  const now = new Date().toISOString();
  const entry = {
    type: "traits",
    headers: { "Hull-Access-Token": user.token() },
    body: { batched: true },
    timestamp: now,
  };
  const batch = await fetch(`${base}/firehose`, {
    method: "POST",
    headers: { ...json, "hull-app-id": credentials.id, "hull-access-token": credentials.secret },
    body: JSON.stringify({ batch: [entry], timestamp: now, sentAt: now }),
  });
  expect([batch.status, await batch.json()]).toMatchObject([200, { accepted: 1, rejected: [] }]);
  await eventually({ external_id: "token" }, (report) => {
    expect(report).toMatchObject({ traits_note: "by token", traits_batched: true });
  });
  const raised = { "hull-app-id": credentials.id, "hull-access-token": user.token({ scopes: ["admin"] }) };
  expect((await fetch(`${base}/api/v1/connectors`, { headers: raised })).status).toBe(403);
});

test("utils.settings.update merges into the private settings", async () => {
  await client.utils.settings.update({ cursor: 5 });
  const updated = await client.utils.settings.update({ token: "t" });
  expect(updated.private_settings).toMatchObject({ cursor: 5, token: "t" });
  expect(await client.get("app")).toMatchObject({ id: credentials.id, private_settings: { cursor: 5, token: "t" } });
});

test("utils.properties.get reads the known attributes", async () => {
  await client.asUser({ external_id: "properties" }).traits({ favourite_colour: "green", height: 180 });
  await eventually({ external_id: "properties" }, () => {});
  await vi.waitFor(async () => {
    const properties = await client.utils.properties.get();
    expect(properties).toMatchObject({
      traits_favourite_colour: { type: "string" },
      traits_height: { type: "number" },
      email: { type: "string" },
    });
  });
});
