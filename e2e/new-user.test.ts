// @module-tag long
import { execFile as execFileWithCallback } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { canTest, isInstalled } from "../testing/can-test.js";
import { freePort } from "../testing/free-port.js";
import { startWebServer, type WebServer } from "../testing/start-web-server.js";
import { isLong } from "../testing/test-length.js";
import { guideBlock } from "./guides/kit/guide-block.js";
import { readPage } from "./guides/kit/guide-pages.js";
import { LocalPorts } from "./guides/kit/local-ports.js";
import { readBlocks } from "./guides/kit/read-blocks.js";
import { ShellSession } from "./guides/kit/shell-session.js";
import { cloneCommit, INSTALL, installation, installFrom, NPM_SETTINGS } from "./support/installation.js";
import { type MusterProcess, startMuster } from "./support/muster-process.js";
import { processesMentioning } from "./support/processes-mentioning.js";

// What a new user does, from a fresh clone to a restored backup, with the blocks of the quick start.

// An installation, which other tests share, a build and two starts: a minute on a quiet machine, and many times that on a busy one.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });
const TIMEOUT = { timeout: 120_000, interval: 200 };
const START_TIMEOUT_MS = 400_000;
const PASSPHRASE = "correct horse battery staple";

const execFile = promisify(execFileWithCallback);

const RUNNABLE = canTest(
  isInstalled("bash") && isInstalled("curl") && isInstalled("git"),
  "What a new user does is not tested: bash, curl and git are needed on the path.",
);

interface Webhook {
  kind: string;
  segment?: { name: string };
  user?: { email: string };
}

/** From the clone until the server was ready. */
let readyAfterMs: number;
let parent: string;
let clone: string;
let muster: MusterProcess;
let ports: LocalPorts;
let shell: ShellSession;
let receiver: WebServer;
/** What a command has answered before anything was built. */
let unbuilt: { code?: number; stderr: string };
const received: Webhook[] = [];
const started: MusterProcess[] = [];

describe.runIf(RUNNABLE)("a new user", () => {
  beforeAll(async () => {
    const begunAtMs = performance.now();
    parent = await mkdtemp(join(tmpdir(), "muster-new-user-"));
    // A server that root starts runs PostgreSQL as another user, who must get through to the clone.
    await chmod(parent, 0o755);
    clone = join(parent, "muster");
    await cloneCommit(clone);
    // The first of the two commands of the page has run in another clone of the same commit.
    expect(guideBlock("docs/quick-start.md", "start")).toBe(`${INSTALL} && npm start\n`);
    expect(await installFrom(await installation(), clone)).toBe(true);
    receiver = await startWebServer(async (request, response) => {
      received.push((await json(request)) as Webhook);
      response.end();
    });
    unbuilt = await execFile("npx", ["muster", "restore", "muster.backup"], { cwd: clone }).catch((error) => error);
    muster = await start(join(clone, "data"));
    readyAfterMs = performance.now() - begunAtMs;
    ports = new LocalPorts(Number(new URL(muster.url).port));
    shell = await openShell(muster.url, join(clone, "data"));
  });

  afterAll(async () => {
    await shell?.close();
    for (const each of started) each.killGroup("SIGTERM");
    await Promise.all(started.map(({ ended }) => ended));
    for (const pid of await processesMentioning(parent)) process.kill(pid, "SIGKILL");
    await receiver?.close();
    await rm(parent, { recursive: true, force: true, maxRetries: 10 });
  });

  test("is told in one sentence to build first", () => {
    // npm may warn of its own settings before.
    const told = unbuilt.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("npm "));
    expect([unbuilt.code, told]).toEqual([
      1,
      ["Muster is not built yet: run `npm run build` in its folder first. `npm start` builds it too."],
    ]);
  });

  test("gets a segment with live members from the quick start", async () => {
    for (const { kind, name, text } of readBlocks("docs/quick-start.md", readPage("docs/quick-start.md")).blocks) {
      if (kind === "file") await writeFile(join(clone, name), await ports.replaceIn(text));
      if (kind === "run") await type(text);
    }
    expect(await ask("npx muster segment list")).toMatchObject([{ name: "Pros", stats: { users: 2 } }]);
  });

  test("gets an event of a public analytics library into a segment", async () => {
    const begunAtMs = performance.now();
    const { blocks } = readBlocks("docs/analytics-sdks.md", readPage("docs/analytics-sdks.md"));
    await writeFile(join(clone, "send.mjs"), blocks.find(({ name }) => name === "send.mjs")?.text ?? "");
    await type(
      `npx muster segment create Buyers --query '{"has_child": {"query": {"term": {"event": "Order completed"}}}}'
       eval "$(npx muster connector credentials API --env)"
       node send.mjs`,
    );
    await vi.waitFor(async () => {
      const segments = await ask<{ name: string; stats: { users?: number } }[]>("npx muster segment list");
      expect(segments.find(({ name }) => name === "Buyers")?.stats.users).toBe(1);
    }, TIMEOUT);
    const afterMs = readyAfterMs + performance.now() - begunAtMs;
    console.log(
      `From a clone to an event of @segment/analytics-node in a segment: ${Math.round(afterMs / 1_000)} s ` +
        `(${Math.round(readyAfterMs / 1_000)} s of them until the server was ready; ` +
        `the packages were ${isLong ? "installed" : "there already"}).`,
    );
    await type("npx muster segment delete Buyers --yes");
  });

  test("needs no address for the command, and finds what exists instead of a guessed path", async () => {
    const found = await type("env -u MUSTER_URL npx muster status --json");
    expect(JSON.parse(found)).toMatchObject({ jobs: expect.any(Array) });
    const answer = await type(
      'curl -s "$MUSTER_URL/api/v1/users" -H "Svc-App-Id: $MUSTER_ID" -H "Svc-Access-Token: $MUSTER_SECRET"',
    );
    expect(JSON.parse(answer)).toMatchObject({ message: expect.stringContaining("/api/v1/search/user_reports") });
  });

  test("imports a spreadsheet with a bad row into an organization of its own, and uses its credentials", async () => {
    const rows = "Customer ID;E-Mail;Seats\n1;ida@acme.example;3\n2;joe@acme.example;many\n";
    await writeFile(join(clone, "customers.csv"), rows);
    await type("npx muster org create acme");
    const flags = "users customers.csv --number Seats --org acme";
    const dry = await ask<{ result: object }>(`npx muster import ${flags} --dry-run`);
    expect(dry.result).toMatchObject({ records: 2, new: 1, refused: 1 });
    const done = await ask<{ result: object }>(`npx muster import ${flags}`);
    expect(done.result).toMatchObject({ records: 2, rejected: 1 });
    const answer = await type(
      `npx muster connector create Shop --org acme > /dev/null
       (eval "$(npx muster connector credentials Shop --org acme --env)"
       curl -s "$MUSTER_URL/api/v1/app" -H "Svc-App-Id: $MUSTER_ID" -H "Svc-Access-Token: $MUSTER_SECRET")`,
    );
    expect(JSON.parse(answer)).toMatchObject({ name: "Shop" });
  });

  test("is told when a segment is not what was meant", async () => {
    // A terminal of a guide ends with the first command that fails.
    const run = (command: string) => type(`npx muster segment ${command} 2>&1 || echo "exit code $?"`);
    const preview = await run(`preview --query '{"term": {"paln": "pro"}}'`);
    expect(preview).toContain('warning: No user has an attribute "paln" so far. Did you mean plan?');
    const again = await run(`create pros --query '{"term": {"plan": "free"}}'`);
    expect(again).toMatch(/There is already a segment "Pros"[\s\S]*exit code 1/);
    const untyped = await run(`create Late --query '{"range": {"created_at": {"gt": "lately"}}}'`);
    expect(untyped).toMatch(/expected a date[\s\S]*exit code 1/);
  });

  test("fills the demo", async () => {
    await type("npx muster demo --users 100 --yes");
    await vi.waitFor(async () => {
      const { total } = await ask<{ total: number }>("npx muster search users --org demo --limit 1");
      expect(total).toBeGreaterThanOrEqual(80);
      const segments = await ask<{ stats: { users?: number } }[]>("npx muster segment list --org demo");
      expect(segments.filter(({ stats }) => (stats.users ?? 0) > 0).length).toBeGreaterThan(1);
    }, TIMEOUT);
  });

  test("receives a webhook when somebody enters the segment", async () => {
    await type("npx muster connector install outgoing-webhooks");
    await type(`npx muster connector set "Outgoing Webhooks" url=${receiver.url}`);
    await type("node send.js linus@example.com pro");
    await vi.waitFor(() => {
      const entered = received.filter(({ kind }) => kind === "segment.entered");
      expect(entered.map(({ segment, user }) => [segment?.name, user?.email])).toContainEqual([
        "Pros",
        "linus@example.com",
      ]);
    }, TIMEOUT);
  });

  test("restores a backup elsewhere", async () => {
    const elsewhere = join(parent, "elsewhere");
    await type(`export MUSTER_BACKUP_PASSPHRASE='${PASSPHRASE}'`);
    await type(`npx muster backup ${parent}/muster.backup`);
    await type(`npx muster restore ${parent}/muster.backup --data-dir ${elsewhere}`);
    const restored = await start(elsewhere);
    const other = await openShell(restored.url, elsewhere);
    await vi.waitFor(async () => {
      const segments = await ask("npx muster segment list", other);
      // Ada, Grace, Linus, and the user of the analytics library.
      expect(segments).toMatchObject([{ name: "Pros", stats: { users: 4 } }]);
    }, TIMEOUT);
    expect(await ask("npx muster search users linus", other)).toMatchObject({
      total: 1,
      data: [{ email: "linus@example.com", traits_plan: "pro" }],
    });
    await other.close();
  });
});

/** Starts a server in the clone with `npm start`, and waits until it is ready. */
async function start(dataDir: string): Promise<MusterProcess> {
  const server = startMuster({
    dataDir,
    port: await freePort(),
    folder: clone,
    environment: { ...NPM_SETTINGS, ALLOW_PRIVATE_NETWORK: "true" },
  });
  started.push(server);
  await server.ready(START_TIMEOUT_MS);
  return server;
}

/** A second terminal in the clone. */
async function openShell(url: string, dataDir: string): Promise<ShellSession> {
  const environment = { PATH: process.env.PATH ?? "", HOME: parent, MUSTER_URL: url, DATA_DIR: dataDir };
  return new ShellSession({ folder: clone, notes: await mkdtemp(join(parent, "notes-")), environment });
}

/** Types commands into a terminal, with free ports instead of those that pages name. */
async function type(commands: string, terminal = shell): Promise<string> {
  const { ok, stdout, stderr } = await terminal.run(await ports.replaceIn(commands));
  if (!ok) throw new Error(`${commands}\nfailed:\n${stdout}\n${stderr}`);
  return stdout;
}

/** The same for a command that answers with JSON, of the shape that the test then checks. */
async function ask<Answer>(command: string, terminal = shell): Promise<Answer> {
  return JSON.parse(await type(`${command} --json`, terminal)) as Answer;
}
