import { setTimeout as sleep } from "node:timers/promises";
import { createBrand, signToken } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../testing/seeded-random.js";
import { credentialsOf } from "./support/credentials.js";
import { type Credentials, combine, type Expected, LoadSender } from "./support/load.js";
import { MortalServer } from "./support/mortal-server.js";

const KILLS = 30;
const SENDERS = 3;
const random = seededRandom("moments of kills");
const { headers: names, claims } = createBrand();

let server: MortalServer;
beforeAll(async () => {
  server = await MortalServer.open("kill");
});
afterAll(() => server.close());

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

/** How many users have each attribute, as the question engine counts them. */
async function countOf({ id, secret }: Credentials, attributes: Iterable<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const field of attributes) {
    const answer = await fetch(`${server.url}/api/v1/search/user_reports`, {
      method: "POST",
      headers: { [names.appId]: id, [names.accessToken]: secret, "content-type": "application/json" },
      body: JSON.stringify({ query: { exists: { field } }, per_page: 0 }),
    });
    found.set(field, ((await answer.json()) as { pagination: { total: number } }).pagination.total);
  }
  return found;
}

/** What the API must show of a user. */
function expectedOf({ events, overwritten, total, last }: Expected) {
  return {
    extra: Object.fromEntries([["total", total], ...last].filter(([, value]) => value !== 0)),
    actions: Object.fromEntries(
      Object.entries({ Kept: overwritten.size, Loaded: events }).filter(([, count]) => count > 0),
    ),
  };
}

test(`through ${KILLS} kill -9 at random moments under load with new attributes, nothing acknowledged is lost and nothing takes effect twice`, async () => {
  const credentials = credentialsOf(server.process);
  const senders = Array.from({ length: SENDERS }, (_, n) => new LoadSender(`s${n}`, server.url, credentials));
  const stop = new AbortController();
  const load = Promise.all(senders.map((sender) => sender.run(stop.signal)));
  let killed = 0;
  while (killed < KILLS) {
    const before = senders.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    // Not a wait for something: the moment of the kill is the input of this test.
    await sleep(random.fraction() * 700);
    await server.killAndRestart();
    killed += 1;
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
  const owners = new Map<string, number>();
  for (const { last } of expected.values()) {
    for (const attribute of last.keys()) owners.set(attribute, (owners.get(attribute) ?? 0) + 1);
  }
  // New attributes came up all the time.
  expect(owners.size).toBeGreaterThan(KILLS);
  expect(await countOf(credentials, owners.keys())).toEqual(owners);
  // Batches were in flight when the server died, some of them acknowledged without anybody hearing it.
  expect(senders.reduce((sum, { resent }) => sum + resent, 0)).toBeGreaterThan(KILLS);
  expect(killed).toBe(KILLS);

  // Everything that questions are asked of, made anew from what PostgreSQL kept, says the same.
  const rebuilt = await server.muster<object[]>("rebuild", "--yes");
  expect(rebuilt).toMatchObject([{ organization: "default", phase: "done", documents: expected.size }]);
  expect(await shown()).toEqual(wanted);

  server.process.kill("SIGTERM");
  expect(await server.process.ended).toBe(0);
  expect(server.process.output()).not.toMatch(/"level":(50|60)/);
}, 360_000);
