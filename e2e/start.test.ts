import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { freePort } from "../testing/free-port.js";
import { unprivileged } from "./deploy/unprivileged.js";
import { callApi, connectorHeaders } from "./support/call-api.js";
import { type Credentials, printedCredentials } from "./support/credentials.js";
import { type MusterProcess, type StartOptions, startMuster } from "./support/muster-process.js";
import { PATIENCE } from "./support/patience.js";
import { prepareDataDir } from "./support/prepare-data-dir.js";
import { processesMentioning } from "./support/processes-mentioning.js";

// The first test and those of Ctrl-C and of wrong settings use `npm start`. The others are about the server alone, and start
// what `npm start` has built, with a PostgreSQL that is created already.
const BUILT: [string, ...string[]] = [process.execPath, "--enable-source-maps", "apps/server/bundle/main.js"];

let parent: string;
let dataDir: string;
let port: number;
let started: MusterProcess[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-e2e-"));
  dataDir = join(parent, "a path with spaces");
  port = await freePort();
  started = [];
});
afterEach(async () => {
  for (const pid of await processesMentioning(parent)) process.kill(pid, "SIGKILL");
  await Promise.all(started.map(({ ended }) => ended));
  await rm(parent, { recursive: true, force: true, maxRetries: 10 });
});

/** Starts the server with `npm start`. */
function start(options: Partial<StartOptions> = {}): MusterProcess {
  const muster = startMuster({ dataDir, port, ...options });
  started.push(muster);
  return muster;
}

/** Starts the server that is built. */
function startBuilt(options: Partial<StartOptions> = {}): MusterProcess {
  return start({ command: BUILT, ...options });
}

/** Makes a request with the credentials that the server printed at its first start. */
async function readApp(muster: MusterProcess, credentials?: Credentials): Promise<{ id: string; name: string }> {
  const headers = connectorHeaders(credentials ?? (await printedCredentials(muster)));
  return callApi(muster.url, { method: "GET", path: "/app", headers });
}

async function expectNoProcessLeft(): Promise<void> {
  await vi.waitFor(async () => expect(await processesMentioning(parent)).toEqual([]), PATIENCE);
}

test("npm start serves with the credentials it prints, stops on SIGTERM, and the next start finds everything and prints no secret", async () => {
  const first = start();
  await first.ready();
  const app = await readApp(first);
  expect(app.name).toBe("API");
  expect((await stat(join(dataDir, "admin.token"))).mode & 0o777).toBe(0o600);

  first.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  await expectNoProcessLeft();

  const second = start();
  await second.ready();
  const credentials = await printedCredentials(first);
  expect(await readApp(second, credentials)).toEqual(app);
  // The lines of the start are printed after the server has begun to answer.
  await vi.waitFor(() => expect(second.output()).toContain(`muster connector credentials ${credentials.id}`), PATIENCE);
  expect(second.output()).not.toContain(credentials.secret);
  // Nothing has changed, so nothing is built.
  expect(second.output()).not.toContain("Building");
  second.killGroup("SIGTERM");
  expect(await second.ended).toBe(0);
  await expectNoProcessLeft();
});

test("Ctrl-C, also pressed twice, stops all processes of the group cleanly", async () => {
  await prepareDataDir(dataDir);
  const muster = start();
  await muster.ready();
  muster.killGroup("SIGINT");
  muster.killGroup("SIGINT");
  expect(await muster.ended).toBe(0);
  expect(muster.output()).not.toMatch(/"level":(50|60)/);
  await expectNoProcessLeft();
});

test("a signal that arrives while the server begins to listen stops it", async () => {
  await prepareDataDir(dataDir);
  const muster = startBuilt();
  // It says nothing: a stop does not wait for that client.
  await vi.waitFor(() => once(connect(port, "127.0.0.1"), "connect"), { ...PATIENCE, interval: 1 });
  muster.kill("SIGTERM");
  expect(await muster.ended).toBe(0);
  await expectNoProcessLeft();
});

test("a request in flight when the server is told to stop still gets its answer", async () => {
  await prepareDataDir(dataDir);
  const muster = startBuilt();
  await muster.ready();
  const credentials = await printedCredentials(muster);
  const call = request(`${muster.url}/api/v1/app`, {
    method: "PUT",
    agent: false,
    headers: {
      ...connectorHeaders(credentials),
      "content-type": "application/json",
      "content-length": "2",
      expect: "100-continue",
    },
  });
  const answered = once(call, "response") as Promise<[IncomingMessage]>;
  call.flushHeaders();
  await once(call, "continue");
  muster.kill("SIGTERM");
  await vi.waitFor(() => expect(fetch(muster.url)).rejects.toThrow("fetch failed"), PATIENCE);
  call.end("{}");
  const [answer] = await answered;
  expect(answer.resume().statusCode).toBe(200);
  expect(await muster.ended).toBe(0);
});

test("after kill -9 of all its processes nothing stays behind, and the next start finds everything", async () => {
  await prepareDataDir(dataDir);
  const first = startBuilt();
  await first.ready();
  const app = await readApp(first);
  first.killGroup("SIGKILL");
  expect(await first.ended).toBe("SIGKILL");

  const second = startBuilt();
  await second.ready();
  expect(await readApp(second, await printedCredentials(first))).toEqual(app);
  second.killGroup("SIGINT");
  expect(await second.ended).toBe(0);
  await expectNoProcessLeft();
});

test("a second server on the same data directory stops with an explanation, and the first one goes on", async () => {
  await prepareDataDir(dataDir);
  const first = startBuilt();
  await first.ready();
  const second = startBuilt({ port: await freePort() });
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(
    /Another Muster \(process \d+ on .+\) is using the data directory .*a path with spaces/,
  );
  await readApp(first);
  first.killGroup("SIGINT");
  expect(await first.ended).toBe(0);
});

test("a start on a port in use names the port and closes the engines again", async () => {
  const other = join(parent, "other");
  for (const each of [dataDir, other]) await prepareDataDir(each);
  const first = startBuilt();
  await first.ready();
  const second = startBuilt({ dataDir: other });
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain(`port ${port} is in use`);
  await vi.waitFor(async () => expect(await processesMentioning(other)).toEqual([]));
  first.killGroup("SIGINT");
  expect(await first.ended).toBe(0);
});

test("a start with invalid settings names all of them and stops", async () => {
  const muster = start({ environment: { BRAND: "no brand", LOG_LEVEL: "loud" } });
  expect(await muster.ended).toBe(1);
  expect(muster.output()).toContain("BRAND expects");
  expect(muster.output()).toContain("LOG_LEVEL expects");
});

test("a start without permissions names the setting", async () => {
  await mkdir(dataDir, { mode: 0o555 });
  await chmod(parent, 0o755);
  const closed = start({ command: unprivileged(BUILT) });
  expect(await closed.ended).toBe(1);
  expect(closed.output()).toMatch(
    /^Muster could not start: The data directory .* \(DATA_DIR\) cannot be used by the user .*: EACCES: .*\. Start the server as the user that owns the directory, or choose another\.$/m,
  );
});

test("a start that fails shows the places in the sources to somebody who debugs", async () => {
  const environment = { DATABASE_URL: "postgres://127.0.0.1:1/none", LOG_LEVEL: "debug" };
  const muster = startBuilt({ environment });
  expect(await muster.ended).toBe(1);
  expect(muster.output()).toMatch(
    /The PostgreSQL of DATABASE_URL does not answer[\s\S]+apps\/server\/src\/main\.ts:\d+:\d+/,
  );
});
