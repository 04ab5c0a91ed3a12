import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { freePort } from "../testing/free-port.js";
import { MUSTER, type MusterProcess, REPOSITORY, startMuster } from "./support/muster-process.js";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

interface Installed {
  url: string;
  id: string;
  secret: string;
  organization: string;
}

const TIMEOUT = { timeout: 60_000, interval: 200 };
const database = `connectors_${randomBytes(4).toString("hex")}`;
const databaseUrl = Object.assign(new URL(inject("postgresUrl")), { pathname: `/${database}` }).href;

let folder: string;
let muster: MusterProcess;
let admin: pg.Client;
let target: pg.Client;
let receiver: Server;
let receiverUrl: string;
const received: Record<string, unknown>[] = [];
const processes: ChildProcess[] = [];
let output = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-connectors-"));
  admin = new pg.Client(inject("postgresUrl"));
  await admin.connect();
  await admin.query(`create database ${database}`);
  target = new pg.Client(databaseUrl);
  await target.connect();
  receiver = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    received.push(JSON.parse(text));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const port = await freePort();
  muster = startMuster({
    dataDir: join(folder, "data"),
    port,
    command: [process.execPath, "apps/server/dist/main.js"],
    environment: { LOG_LEVEL: "error" },
  });
  await muster.ready();
}, 120_000);

afterAll(async () => {
  await Promise.all(
    processes.map(async (child) => {
      if (child.kill()) await once(child, "exit");
    }),
  );
  muster?.kill("SIGTERM");
  await muster?.ended;
  receiver?.close();
  await target?.end();
  await admin?.query(`drop database ${database} with (force)`);
  await admin?.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 60_000);

/** Starts a connector as its readme says, and installs it with the one command. */
async function install(name: string, settings: Record<string, unknown>): Promise<Installed> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [`connector-apps/${name}/dist/main.js`], {
    cwd: REPOSITORY,
    env: { ...process.env, PORT: String(port), HOST_SECRET: "of the test" },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  processes.push(child);
  await vi.waitFor(() => fetch(`${url}/manifest.json`), TIMEOUT);
  const command = [MUSTER, "connector", "install", url, "--json"];
  const env = { ...process.env, MUSTER_URL: muster.url, DATA_DIR: join(folder, "data") };
  const { stdout } = await promisify(execFile)(process.execPath, command, { env });
  const installed: Installed = { url, ...JSON.parse(stdout) };
  await call(installed, "PUT", `/${installed.id}`, { private_settings: settings });
  return installed;
}

async function call({ id, secret }: Installed, method: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${muster.url}/api/v1${path}`, {
    method,
    headers: { "content-type": "application/json", "Svc-App-Id": id, "Svc-Access-Token": secret },
    body: JSON.stringify(body),
  });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return answer.json();
}

function withCredentials({ url, id, secret, organization }: Installed, path: string): string {
  return `${url}${path}?${new URLSearchParams({ id, secret, organization })}`;
}

const postJson = (url: string, body: object) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("a webhook comes in, is mapped, processed, sent out and kept, each by the connector for it", async () => {
  const code =
    "asUser({ email: body.email }).account({ domain: 'acme.example.com' }).traits({ plan: body.plan }).track('Signed up');";
  const incoming = await install("incoming-webhooks", { code });
  await install("processor", {
    user_code: "if (user.traits_plan) traits({ is_paying: user.traits_plan !== 'free' });",
  });
  await install("outgoing-webhooks", { url: receiverUrl, template: "" });
  await install("warehouse", { connection_string: databaseUrl });

  const answer = await postJson(withCredentials(incoming, "/webhooks/shop"), { email: "ada@example.com", plan: "pro" });
  expect([answer.status, await answer.json()]).toEqual([200, { accepted: 2, refused: [] }]);

  await vi.waitFor(() => {
    const about = received.filter(({ user }) => (user as { email?: string })?.email === "ada@example.com");
    expect(
      about.map(({ kind }) => kind),
      output,
    ).toContain("user.event");
    expect(about.at(-1)?.user).toMatchObject({ traits_plan: "pro", traits_is_paying: true });
    expect(about.at(-1)?.account).toMatchObject({ domain: "acme.example.com" });
  }, TIMEOUT);
  await vi.waitFor(async () => {
    const { rows: users } = await target.query(
      "select email, attributes->'traits_is_paying' as paying from muster.users",
    );
    expect(users).toEqual([{ email: "ada@example.com", paying: true }]);
    const { rows: events } = await target.query("select event from muster.events");
    expect(events).toEqual([{ event: "Signed up" }]);
    const { rows: accounts } = await target.query("select domain from muster.accounts");
    expect(accounts).toEqual([{ domain: "acme.example.com" }]);
  }, TIMEOUT);
}, 180_000);

test("rows of a database become users, whom a search finds", async () => {
  await target.query("create table people (id int, email text, plan text)");
  await target.query("insert into people select n, 'p' || n || '@example.com', 'free' from generate_series(1, 30) n");
  const importer = await install("sql-importer", {
    connection_string: databaseUrl,
    query: "select id as external_id, email, plan from people",
  });
  const preview = await postJson(withCredentials(importer, "/preview"), {});
  expect(await preview.json()).toMatchObject({ columns: ["external_id", "email", "plan"] });
  expect((await postJson(withCredentials(importer, "/run"), {})).status).toBe(200);
  await vi.waitFor(async () => {
    const query = { bool: { filter: [{ term: { plan: "free" } }, { exists: { field: "external_id" } }] } };
    const found = await call(importer, "POST", "/search/user_reports", { query });
    expect(found, output).toMatchObject({ pagination: { total: 30 } });
  }, TIMEOUT);
}, 120_000);
