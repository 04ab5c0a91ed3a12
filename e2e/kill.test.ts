import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createBrand, signToken } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Credentials, combine, type Expected, LoadSender } from "./support/load.js";
import { freePort, MUSTER, type MusterProcess, REPOSITORY, startMuster } from "./support/muster-process.js";
import { processesMentioning } from "./support/processes.js";

const KILLS = 20;
const SENDERS = 3;
const { headers: names, claims } = createBrand();

let parent: string;
let dataDir: string;
let port: number;
let server: MusterProcess;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-kill-"));
  dataDir = join(parent, "data");
  port = await freePort();
  await start();
});
afterAll(async () => {
  for (const pid of await processesMentioning(parent)) process.kill(pid, "SIGKILL");
  await server.ended;
  await rm(parent, { recursive: true, force: true, maxRetries: 10 });
});

async function start(): Promise<void> {
  server = startMuster({
    dataDir,
    port,
    command: [process.execPath, "apps/server/dist/main.js", "--json"],
    environment: { LOG_LEVEL: "error", UV_THREADPOOL_SIZE: "16" },
  });
  await server.ready();
}

function credentialsOf({ output }: MusterProcess): Credentials {
  const line = output()
    .split("\n")
    .find((text) => text.startsWith('{"version"'));
  return (JSON.parse(line ?? "{}") as { connector: Credentials }).connector;
}

interface Me {
  extra: Record<string, number>;
  stats: { actions: Record<string, number> };
}

/** A user as the API shows it, once everything up to the positions is searchable. */
async function readUser({ id, secret }: Credentials, user: string, positions: readonly string[]): Promise<Me> {
  const token = signToken(
    { iss: id, iat: 1, [claims.subjectType]: "user", [claims.asUser]: { external_id: user } },
    secret,
  );
  for (const position of positions) {
    const answer = await fetch(`${server.url}/api/v1/me`, {
      headers: { [names.accessToken]: token, [names.waitFor]: position },
    });
    expect(answer.status).toBe(200);
    if (position === positions.at(-1)) return (await answer.json()) as Me;
    await answer.text();
  }
  throw new Error("No position to wait for.");
}

/** What the API must show of a user, and what it shows. */
function expectedOf({ events, overwritten, total, last }: Expected) {
  const written = [...last].map(([sender, sequence]) => [`last_${sender}`, sequence] as const);
  return {
    extra: Object.fromEntries([["total", total], ...written].filter(([, value]) => value !== 0)),
    actions: Object.fromEntries(
      Object.entries({ Kept: overwritten.size, Loaded: events }).filter(([, count]) => count > 0),
    ),
  };
}

test(`through ${KILLS} kill -9 at random moments under load, nothing acknowledged is lost and nothing takes effect twice`, async () => {
  const credentials = credentialsOf(server);
  const senders = Array.from({ length: SENDERS }, (_, n) => new LoadSender(`s${n}`, server.url, credentials));
  const stop = new AbortController();
  const load = Promise.all(senders.map((sender) => sender.run(stop.signal)));
  let killed = 0;
  while (killed < KILLS) {
    const before = senders.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    await sleep(Math.random() * 700);
    server.killGroup("SIGKILL");
    expect(await server.ended).toBe("SIGKILL");
    killed += 1;
    await start();
    // A kill only counts for something when there was work to break into.
    await expect
      .poll(() => senders.reduce((sum, { acknowledged }) => sum + acknowledged, 0), { timeout: 20_000 })
      .toBeGreaterThan(before);
  }
  stop.abort();
  await load;

  const expected = combine(senders);
  const positions = senders.map(({ position }) => position);
  const shown = async () => {
    const users = new Map<string, object>();
    for (const user of expected.keys()) {
      const { extra, stats } = await readUser(credentials, user, positions);
      users.set(user, { extra, actions: stats.actions });
    }
    return users;
  };
  const wanted = new Map([...expected].map(([user, known]) => [user, expectedOf(known)]));
  expect(await shown()).toEqual(wanted);
  // Batches were in flight when the server died, some of them acknowledged without anybody hearing it.
  expect(senders.reduce((sum, { resent }) => sum + resent, 0)).toBeGreaterThan(KILLS);
  expect(killed).toBe(KILLS);

  // All of ClickHouse made anew from what PostgreSQL kept says the same.
  const { stdout } = await promisify(execFile)(process.execPath, [MUSTER, "rebuild", "--yes", "--json"], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, MUSTER_URL: server.url, DATA_DIR: dataDir },
  });
  expect(JSON.parse(stdout)).toMatchObject([{ organization: "default", phase: "done", documents: expected.size }]);
  expect(await shown()).toEqual(wanted);

  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(server.output()).not.toMatch(/"level":(50|60)/);
}, 240_000);
