import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { setUpDatabase } from "../connector-apps/testing/set-up-database.js";
import { freePort } from "../testing/free-port.js";
import { startWebServer, type WebServer } from "../testing/start-web-server.js";
import { callApi, connectorHeaders } from "./support/call-api.js";
import { postBatch, userEntry } from "./support/entries.js";
import { MUSTER, type MusterProcess, startMuster } from "./support/muster-process.js";
import { prepareDataDir } from "./support/prepare-data-dir.js";
import { processesMentioning } from "./support/processes-mentioning.js";

interface Installed {
  url: string;
  id: string;
  secret: string;
  organization: string;
}

const TIMEOUT = { timeout: 60_000, interval: 200 };
const database = setUpDatabase();

let folder: string;
let muster: MusterProcess;
let receiver: WebServer;
const received: Record<string, unknown>[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-connectors-"));
  receiver = await startWebServer(async (request, response) => {
    received.push((await json(request)) as Record<string, unknown>);
    response.end();
  });
  const dataDir = join(folder, "data");
  await prepareDataDir(dataDir);
  muster = startMuster({
    dataDir,
    port: await freePort(),
    command: [process.execPath, "apps/server/bundle/main.js"],
    // The receiver and the databases of the test are on this machine.
    environment: { LOG_LEVEL: "error", ALLOW_PRIVATE_NETWORK: "true" },
  });
  await muster.ready();
});

afterAll(async () => {
  // The last test has killed it, unless an earlier one failed.
  for (const pid of await processesMentioning(folder)) process.kill(pid, "SIGKILL");
  await muster?.ended;
  await receiver?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function asOperator(): NodeJS.ProcessEnv {
  return { ...process.env, MUSTER_URL: muster.url, DATA_DIR: join(folder, "data") };
}

/** Installs a connector by its address, or one that comes with Muster by its name: the server runs it. */
async function install(name: string, ...settings: Record<string, unknown>[]): Promise<Installed> {
  const command = [MUSTER, "connector", "install", name, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: asOperator() });
  const installed: Installed = { url: `${muster.url}/bundled/${name}`, ...JSON.parse(stdout) };
  for (const given of settings) {
    // By the operator: a connector that changes its own settings knows its status, and is not asked for it.
    const authorization = `Bearer ${await readFile(join(folder, "data", "admin.token"), "utf8")}`;
    const change = { method: "PUT", path: `/${installed.id}`, body: { private_settings: given } };
    await callApi(muster.url, { ...change, headers: { authorization } });
    // A form opens its next section when the connector has accepted what the first one asks for.
    await vi.waitFor(async () => {
      const { status } = (await call(installed, "GET", `/${installed.id}/status`)) as { status: string };
      expect(status).not.toBe("setupRequired");
    }, TIMEOUT);
  }
  return installed;
}

/** The process in which the server runs the connectors. */
async function connectorProcess(): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid=,args="]);
  const lines = stdout.split("\n").map((line) => line.trim().split(/\s+/));
  const found = lines.find(
    ([, parent, ...args]) => Number(parent) === muster.pid && args.join(" ").includes("connector-child"),
  );
  return Number(found?.[0]);
}

function call(installed: Installed, method: string, path: string, body?: object): Promise<unknown> {
  return callApi(muster.url, { method, path, headers: connectorHeaders(installed), ...(body ? { body } : {}) });
}

function withCredentials({ url, id, secret, organization }: Installed, path: string): string {
  return `${url}${path}?${new URLSearchParams({ id, secret, organization })}`;
}

const postJson = (url: string, body: object) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("a webhook is received, processed, sent on and written to a warehouse, each by its connector", async () => {
  const code =
    "asUser({ email: body.email }).account({ domain: 'acme.example.com' }).traits({ plan: body.plan }).track('Signed up');";
  const incoming = await install("incoming-webhooks", { code });
  await install("processor", {
    user_code: "if (user.traits_plan) traits({ is_paying: user.traits_plan !== 'free' });",
  });
  await install("outgoing-webhooks", { url: `${receiver.url}/hook` }, { template: "" });
  await install("warehouse", { connection_string: database.url });

  const answer = await postJson(withCredentials(incoming, "/webhooks/shop"), { email: "ada@example.com", plan: "pro" });
  expect([answer.status, await answer.json()]).toEqual([200, { accepted: 2, refused: [] }]);

  await vi.waitFor(() => {
    const about = received.filter(({ user }) => (user as { email?: string })?.email === "ada@example.com");
    expect(
      about.map(({ kind }) => kind),
      muster.output(),
    ).toContain("user.event");
    expect(about.at(-1)?.user).toMatchObject({ traits_plan: "pro", traits_is_paying: true });
    expect(about.at(-1)?.account).toMatchObject({ domain: "acme.example.com" });
  }, TIMEOUT);
  await vi.waitFor(async () => {
    const users = await database.rows("select email, attributes->'traits_is_paying' as paying from muster.users");
    expect(users).toEqual([{ email: "ada@example.com", paying: true }]);
    expect(await database.rows("select event from muster.events")).toEqual([{ event: "Signed up" }]);
    expect(await database.rows("select domain from muster.accounts")).toEqual([{ domain: "acme.example.com" }]);
  }, TIMEOUT);
}, 180_000);

test("rows of a database become users that a search finds", async () => {
  await database.rows("create table people (id int, email text, plan text)");
  await database.rows("insert into people select n, 'p' || n || '@example.com', 'free' from generate_series(1, 30) n");
  const query = "select id as external_id, email, plan from people";
  const importer = await install("sql-importer", { connection_string: database.url }, { query });
  // The connector works with its old settings until it is told the new ones.
  await vi.waitFor(async () => {
    const preview = await postJson(withCredentials(importer, "/preview"), {});
    expect(await preview.json()).toMatchObject({ columns: ["external_id", "email", "plan"] });
  }, TIMEOUT);
  expect((await postJson(withCredentials(importer, "/run"), {})).status).toBe(200);
  await vi.waitFor(async () => {
    const free = { bool: { filter: [{ term: { plan: "free" } }, { exists: { field: "external_id" } }] } };
    const found = await call(importer, "POST", "/search/user_reports", { query: free });
    expect(found, muster.output()).toMatchObject({ pagination: { total: 30 } });
  }, TIMEOUT);
});

test("a connector runs in a process of its own with one line, and serves the organizations of the server", async () => {
  const port = await freePort();
  const running = spawn(process.execPath, [MUSTER, "connector", "run", "warehouse", "--port", String(port)], {
    env: asOperator(),
  });
  const ended = once(running, "exit");
  try {
    expect(String(await once(running.stdout, "data"))).toBe(`Listening on http://127.0.0.1:${port}\n`);
    const warehouse = await install(`http://127.0.0.1:${port}`, { connection_string: database.url }, { schema: "own" });
    expect(
      (await postBatch(muster.url, warehouse, [userEntry(warehouse, "grace", "traits", { plan: "pro" })])).status,
    ).toBe(200);
    await vi.waitFor(async () => {
      const users = await database.rows("select external_id from own.users where external_id = 'grace'");
      expect(users).toEqual([{ external_id: "grace" }]);
    }, TIMEOUT);
  } finally {
    running.kill("SIGTERM");
  }
  expect(await ended).toEqual([0, null]);
});

test("connectors that are killed while they deliver are started again, and no message is lost", async () => {
  const incoming = await install("incoming-webhooks", { code: "asUser({ email: body.email }).track('Ordered');" });
  const address = (await call(incoming, "POST", `/${incoming.id}/call`, {
    path: "/address",
    body: { source: "shop" },
  })) as { url: string };
  const emails = Array.from({ length: 60 }, (_, n) => `buyer-${n}@example.com`);
  const killed = await connectorProcess();
  for (const [n, email] of emails.entries()) {
    // The sender repeats what was not confirmed, as services do.
    await vi.waitFor(async () => expect((await postJson(address.url, { email })).status).toBe(200), TIMEOUT);
    if (n === 30) process.kill(killed, "SIGKILL");
  }
  await vi.waitFor(() => {
    const told = received
      .filter(({ kind }) => kind === "user.event")
      .map(({ user }) => (user as { email: string }).email);
    expect(
      emails.filter((email) => !told.includes(email)),
      muster.output(),
    ).toEqual([]);
  }, TIMEOUT);
  expect(await connectorProcess()).not.toBe(killed);
});

test("connectors end when their server is killed", async () => {
  const pid = await connectorProcess();
  muster.kill("SIGKILL");
  await muster.ended;
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), TIMEOUT);
});
