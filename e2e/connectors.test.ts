import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { setUpDatabase } from "../connector-apps/testing/set-up-database.js";
import { freePort } from "../testing/free-port.js";
import { startWebServer, type WebServer } from "../testing/start-web-server.js";
import { callApi, connectorHeaders } from "./support/call-api.js";
import { MUSTER, type MusterProcess, REPOSITORY, startMuster } from "./support/muster-process.js";
import { prepareDataDir } from "./support/prepare-data-dir.js";

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
const processes: ChildProcess[] = [];
let output = "";

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
    environment: { LOG_LEVEL: "error" },
  });
  await muster.ready();
});

afterAll(async () => {
  await Promise.all(
    processes.map(async (child) => {
      if (child.kill()) await once(child, "exit");
    }),
  );
  muster?.kill("SIGTERM");
  await muster?.ended;
  await receiver?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts a connector as its README says, and installs it with the command of the CLI. */
async function install(name: string, settings: Record<string, unknown>): Promise<Installed> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [`connector-apps/${name}/dist/main.js`], {
    cwd: REPOSITORY,
    env: { ...process.env, PORT: String(port), HOST_SECRET: "of the test", ORGANIZATIONS: muster.url },
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

function call(installed: Installed, method: string, path: string, body: object): Promise<unknown> {
  return callApi(muster.url, { method, path, headers: connectorHeaders(installed), body });
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
  await install("outgoing-webhooks", { url: `${receiver.url}/hook`, template: "" });
  await install("warehouse", { connection_string: database.url });

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
    const users = await database.rows("select email, attributes->'traits_is_paying' as paying from muster.users");
    expect(users).toEqual([{ email: "ada@example.com", paying: true }]);
    expect(await database.rows("select event from muster.events")).toEqual([{ event: "Signed up" }]);
    expect(await database.rows("select domain from muster.accounts")).toEqual([{ domain: "acme.example.com" }]);
  }, TIMEOUT);
}, 180_000);

test("rows of a database become users that a search finds", async () => {
  await database.rows("create table people (id int, email text, plan text)");
  await database.rows("insert into people select n, 'p' || n || '@example.com', 'free' from generate_series(1, 30) n");
  const importer = await install("sql-importer", {
    connection_string: database.url,
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
});
