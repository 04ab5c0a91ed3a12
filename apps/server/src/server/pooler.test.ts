import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { canTest, isInstalled } from "../../../../testing/can-test.js";
import { freePort } from "../../../../testing/free-port.js";
import { openDatabaseProxy } from "../testing/database-proxy.js";
import { Sender } from "../testing/sender.js";
import { createTestDatabase, openQuietly } from "../testing/test-database.js";
import { openTestServer } from "../testing/test-server.js";

const explanation = "Poolers are not tested: pgbouncer is not installed. Install it with apt-get install pgbouncer.";
const NOBODY = 65_534;

/** Starts a pooler of transactions with few connections before a database. Returns the address of the pooler. */
async function startPooler(url: string): Promise<string> {
  const proxy = await openDatabaseProxy(url);
  const target = new URL(proxy.url);
  const folder = await mkdtemp(join(tmpdir(), "muster-pooler-"));
  const port = await freePort();
  const name = target.pathname.slice(1);
  const server = `host=127.0.0.1 port=${target.port} user=${target.username} password=${target.password}`;
  const settings = [
    "[databases]",
    `${name} = ${server}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 4",
  ];
  const file = join(folder, "pgbouncer.ini");
  await writeFile(file, settings.join("\n"));
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child: ChildProcess = spawn("pgbouncer", ["-q", file], { stdio: ["ignore", "ignore", "inherit"], ...user });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
    await proxy.close();
    await rm(folder, { recursive: true });
  });
  const pooler = `postgres://anybody@127.0.0.1:${port}/${name}`;
  const database = openQuietly(pooler, url);
  await vi.waitFor(() => database.query("select 1"), { timeout: 30_000, interval: 100 });
  await database.close();
  return pooler;
}

describe.runIf(canTest(isInstalled("pgbouncer"), explanation))("behind a pooler of transactions", () => {
  test("records become searchable, and processes wake each other over the direct address", async () => {
    const url = await createTestDatabase();
    const admin = openQuietly(url);
    onTestFinished(() => admin.close());
    await admin.query(`alter database ${new URL(url).pathname.slice(1)} set timezone = 'Europe/Paris'`);
    const wrong = { DATABASE_URL: await startPooler(url), DATABASE_DIRECT_URL: url };
    await expect(openTestServer(wrong)).rejects.toThrow("have the time zone Europe/Paris");
    await admin.query(`alter database ${new URL(url).pathname.slice(1)} set timezone = 'UTC'`);
    const environment = { DATABASE_URL: await startPooler(url), DATABASE_DIRECT_URL: url, SECRET_KEY: "shared" };
    const server = await openTestServer(environment);
    onTestFinished(() => server.close());
    const gateway = await openTestServer({ ...environment, ROLES: "gateway" });
    onTestFinished(() => gateway.close());
    const sender = new Sender(gateway);
    const { position } = await sender.send(
      Array.from({ length: 50 }, (_, index) => sender.traits({ user: { external_id: `u${index}` } }, { index })),
    );
    const answer = await new Sender(server).call("POST", "/search/user_reports", {
      payload: { query: { match_all: {} }, per_page: 0 },
      headers: { "Svc-Wait-For": position },
    });
    expect(answer.json().pagination.total).toBe(50);
  }, 150_000);
});
