// @module-tag long
import { setTimeout as sleep } from "node:timers/promises";
import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canTest } from "../testing/can-test.js";
import { seededRandom } from "../testing/seeded-random.js";
import { HAS_NATS, type NatsNodes, NO_NATS, startNats } from "../testing/start-nats.js";
import { sized } from "../testing/test-length.js";
import { callApi } from "./support/call-api.js";
import { type Credentials, credentialsOf } from "./support/credentials.js";
import { userToken } from "./support/entries.js";
import { combine, LoadSender } from "./support/load-sender.js";
import { MortalServer } from "./support/mortal-server.js";

const ROUNDS = sized(2, 3);
const NODES = 3;
const random = seededRandom("moments of kills with NATS");
const { headers: names } = createBrand();

interface Me {
  extra: Record<string, number>;
  stats: { actions: Record<string, number> };
}

describe.runIf(canTest(HAS_NATS, NO_NATS))("a server whose ingestion log is in three nodes of NATS", () => {
  let nats: NatsNodes;
  let server: MortalServer;
  beforeAll(async () => {
    nats = await startNats({ nodes: NODES });
    server = await MortalServer.open("nats", { NATS_URL: nats.url, NATS_STREAMS: "2" });
  });
  afterAll(async () => {
    await server.close();
    await nats.close();
  });

  async function readUser(credentials: Credentials, user: string, positions: readonly string[]): Promise<Me> {
    let me: Me | undefined;
    for (const position of positions) {
      const headers = { [names.accessToken]: userToken(credentials, user), [names.waitFor]: position };
      me = await callApi<Me>(server.url, { method: "GET", path: "/me", headers });
    }
    if (!me) throw new Error("There is no position to wait for.");
    return me;
  }

  test(`after ${ROUNDS} rounds with kill -9 of the server and of a node of NATS, nothing acknowledged is lost and nothing takes effect twice`, async () => {
    const credentials = await credentialsOf(server.process);
    const senders = Array.from({ length: 2 }, (_, n) => new LoadSender(`n${n}`, server.url, credentials));
    const acknowledged = () => senders.reduce((sum, sender) => sum + sender.acknowledged, 0);
    const goesOn = async (before: number) => {
      await expect.poll(acknowledged, { timeout: 60_000 }).toBeGreaterThan(before);
    };
    const stop = new AbortController();
    const load = Promise.all(senders.map((sender) => sender.run(stop.signal)));
    await goesOn(0);
    let longestPauseMs = 0;
    for (let round = 0; round < ROUNDS; round++) {
      // Not a wait for something: the moment of the kill is the input of this test.
      await sleep(random.fraction() * 700);
      const node = round % NODES;
      await nats.kill(node);
      const killedAt = performance.now();
      // Two nodes of three go on without the third.
      await goesOn(acknowledged());
      longestPauseMs = Math.max(longestPauseMs, performance.now() - killedAt);
      await server.killAndRestart();
      await goesOn(acknowledged());
      await nats.start(node);
    }
    stop.abort();
    await load;
    console.info(`The longest pause after the loss of a node of NATS was ${Math.round(longestPauseMs)} ms.`);

    const positions = senders.map(({ position }) => position);
    for (const [user, { events, overwritten, total, last }] of combine(senders)) {
      const { extra, stats } = await readUser(credentials, user, positions);
      expect(extra).toEqual(Object.fromEntries([["total", total], ...last].filter(([, value]) => value !== 0)));
      const counts = Object.entries({ Kept: overwritten.size, Loaded: events });
      expect(stats.actions).toEqual(Object.fromEntries(counts.filter(([, count]) => count !== 0)));
    }
    expect(senders.reduce((sum, { resent }) => sum + resent, 0)).toBeGreaterThan(0);
  }, 360_000);
});
