import { setTimeout as sleep } from "node:timers/promises";
import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../testing/seeded-random.js";
import { sized } from "../testing/test-length.js";
import { callApi, connectorHeaders } from "./support/call-api.js";
import { type Credentials, credentialsOf } from "./support/credentials.js";
import { userToken } from "./support/entries.js";
import { combine, type Expected, LoadSender } from "./support/load-sender.js";
import { MortalServer } from "./support/mortal-server.js";
import { PATIENCE } from "./support/patience.js";

const KILLS = sized(5, 30);
const SENDERS = 3;
const random = seededRandom("moments of kills");
const { headers: names } = createBrand();

let server: MortalServer;
beforeAll(async () => {
  server = await MortalServer.open("kill");
});
afterAll(() => server.close());

interface Me {
  extra: Record<string, number>;
  stats: { actions: Record<string, number> };
}

/** Reads a user, once everything up to the positions is searchable. */
async function readUser(credentials: Credentials, user: string, positions: readonly string[]): Promise<Me> {
  const token = userToken(credentials, user);
  let me: Me | undefined;
  for (const position of positions) {
    const headers = { [names.accessToken]: token, [names.waitFor]: position };
    me = await callApi<Me>(server.url, { method: "GET", path: "/me", headers });
  }
  if (!me) throw new Error("There is no position to wait for.");
  return me;
}

/** The number of users that have each attribute, as the question engine counts them. */
async function countOf(credentials: Credentials, attributes: Iterable<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const field of attributes) {
    const { pagination } = await callApi<{ pagination: { total: number } }>(server.url, {
      method: "POST",
      path: "/search/user_reports",
      headers: connectorHeaders(credentials),
      body: { query: { exists: { field } }, per_page: 0 },
    });
    found.set(field, pagination.total);
  }
  return found;
}

/** What the API must return for a user. */
function expectedOf({ events, overwritten, total, last }: Expected) {
  return {
    extra: Object.fromEntries([["total", total], ...last].filter(([, value]) => value !== 0)),
    actions: Object.fromEntries(
      Object.entries({ Kept: overwritten.size, Loaded: events }).filter(([, count]) => count > 0),
    ),
  };
}

test(`after ${KILLS} kill -9 at random moments under load with new attributes, nothing acknowledged is lost and nothing takes effect twice`, async () => {
  const credentials = await credentialsOf(server.process);
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
    // The next kill must interrupt work again.
    await expect
      .poll(() => senders.reduce((sum, { acknowledged }) => sum + acknowledged, 0), PATIENCE)
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
  // There were new attributes all the time.
  expect(owners.size).toBeGreaterThan(KILLS);
  expect(await countOf(credentials, owners.keys())).toEqual(owners);
  // Batches were on their way when the server was killed, and some were acknowledged without the sender receiving it.
  expect(senders.reduce((sum, { resent }) => sum + resent, 0)).toBeGreaterThan(KILLS);
  expect(killed).toBe(KILLS);

  // After a rebuild from PostgreSQL the question engine gives the same answers.
  const rebuilt = await server.muster<object[]>("rebuild", "--yes");
  expect(rebuilt).toMatchObject([{ organization: "default", phase: "done", documents: expected.size }]);
  expect(await shown()).toEqual(wanted);

  server.process.kill("SIGTERM");
  expect(await server.process.ended).toBe(0);
  expect(server.process.output()).not.toMatch(/"level":(50|60)/);
}, 900_000);
