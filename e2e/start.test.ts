import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { freePort } from "../testing/free-port.js";
import { type MusterProcess, startMuster } from "./support/muster-process.js";
import { processesMentioning } from "./support/processes.js";

// Starting the real thing takes seconds, and many times that on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

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

function start(): MusterProcess {
  const muster = startMuster({ dataDir, port });
  started.push(muster);
  return muster;
}

/** Reads the first credentials from what the server printed, and makes a request with them. */
async function readApp({ url, output }: MusterProcess): Promise<{ id: string; name: string }> {
  const id = /Connector id\s+(\S+)/.exec(output())?.[1] ?? "";
  const secret = /Secret\s+(\S+)/.exec(output())?.[1] ?? "";
  const answer = await fetch(`${url}/api/v1/app`, { headers: { "Svc-App-Id": id, "Svc-Access-Token": secret } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { id: string; name: string };
}

async function expectNothingLeft(): Promise<void> {
  await vi.waitFor(async () => expect(await processesMentioning(parent)).toEqual([]), { timeout: 10_000 });
}

test("npm start serves with the credentials it prints, stops on SIGTERM, and the next start finds everything", async () => {
  const first = start();
  await first.ready();
  const app = await readApp(first);
  expect(app.name).toBe("API");
  expect((await stat(join(dataDir, "admin.token"))).mode & 0o777).toBe(0o600);

  first.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  await expectNothingLeft();

  const second = start();
  await second.ready();
  expect(await readApp(second)).toEqual(app);
  second.killGroup("SIGTERM");
  expect(await second.ended).toBe(0);
  await expectNothingLeft();
});

test("Ctrl-C, also pressed twice, stops the whole group in order", async () => {
  const muster = start();
  await muster.ready();
  muster.killGroup("SIGINT");
  muster.killGroup("SIGINT");
  expect(await muster.ended).toBe(0);
  expect(muster.output()).not.toMatch(/"level":(50|60)/);
  await expectNothingLeft();
});

test("a request in flight when the server is told to stop still gets its answer", async () => {
  const muster = start();
  await muster.ready();
  const secret = /Secret\s+(\S+)/.exec(muster.output())?.[1] ?? "";
  const { id } = await readApp(muster);
  const call = request(`${muster.url}/api/v1/app`, {
    method: "PUT",
    agent: false,
    headers: {
      "Svc-App-Id": id,
      "Svc-Access-Token": secret,
      "content-type": "application/json",
      "content-length": "2",
      expect: "100-continue",
    },
  });
  const answered = once(call, "response") as Promise<[IncomingMessage]>;
  call.flushHeaders();
  await once(call, "continue");
  muster.kill("SIGTERM");
  await vi.waitFor(() => expect(fetch(muster.url)).rejects.toThrow("fetch failed"), { timeout: 5_000 });
  call.end("{}");
  const [answer] = await answered;
  expect(answer.resume().statusCode).toBe(200);
  expect(await muster.ended).toBe(0);
});

test("after kill -9 of every process of ours nothing stays behind, and the next start finds everything", async () => {
  const first = start();
  await first.ready();
  const app = await readApp(first);
  first.killGroup("SIGKILL");
  expect(await first.ended).toBe("SIGKILL");

  const second = start();
  await second.ready();
  expect(await readApp(second)).toEqual(app);
  second.killGroup("SIGINT");
  expect(await second.ended).toBe(0);
  await expectNothingLeft();
});

test("a second server on the same data directory stops with a sentence that says so, and harms nothing", async () => {
  const first = start();
  await first.ready();
  const second = startMuster({ dataDir, port: await freePort() });
  started.push(second);
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/Another Muster \(process \d+\) is using the data directory .*a path with spaces/);
  await readApp(first);
  first.killGroup("SIGINT");
  expect(await first.ended).toBe(0);
});

test("a port that is taken is named, and the engines are closed again", async () => {
  const first = start();
  await first.ready();
  const second = startMuster({ dataDir: join(parent, "other"), port });
  started.push(second);
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain(`port ${port} is in use`);
  await vi.waitFor(async () => expect(await processesMentioning(join(parent, "other"))).toEqual([]));
  first.killGroup("SIGINT");
  expect(await first.ended).toBe(0);
});

test("settings that cannot be used stop the start, all of them named", async () => {
  const muster = startMuster({ dataDir, port, environment: { BRAND: "no brand", LOG_LEVEL: "loud" } });
  started.push(muster);
  expect(await muster.ended).toBe(1);
  expect(muster.output()).toContain("BRAND expects");
  expect(muster.output()).toContain("LOG_LEVEL expects");
});
