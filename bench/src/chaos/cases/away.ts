import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS, HOUR_MS, signToken } from "@muster/protocol";
import pg from "pg";
import type { BenchOptions } from "../../lib/bench.js";
import { percentile } from "../../lib/percentile.js";
import { type PostgresProcess, startPostgres } from "../../lib/postgres-process.js";
import { secondsSince } from "../../lib/seconds-since.js";
import { withDataDir } from "../../lib/start-server.js";
import { AwaySink } from "../away-sink.js";
import type { ChaosCase } from "../chaos-case.js";
import type { Verdict } from "../check.js";
import { GetProbe } from "../get-probe.js";
import { type LoadedServer, underLoad } from "../under-load.js";

const USERS = 100_000;
const ROUNDS = 10;
/** One in so many users changes once more, after the others are too old. */
const NEWER_EVERY = 5;
const USERS_PER_BATCH = 500;
const SENDERS = 4;
/** The load goes on beside the crowd, and its messages also wait for the connector. */
const PACE = 100;
const AWAY_HOURS = 73;
const RETRIED_AT_ONCE = 10_000;
const LIMIT_MS = 30 * 60_000;

export const away: ChaosCase = {
  name: "away",
  description:
    "a connector is away with 1,000,000 messages (ten for each of --users users), they become too old, it comes back, and the dead letters are sent again",
  run,
};

interface Delivery {
  queued_messages: number;
  lag_ms: number;
  sent_messages: number;
  dead_messages: number;
  dead_letters: number;
}

interface Away extends LoadedServer {
  postgres: PostgresProcess;
  awaySink: AwaySink;
  awayId: string;
  users: number;
}

async function run({ users = USERS, seed = Date.now() % 100_000 }: BenchOptions): Promise<boolean> {
  return withDataDir(async (folder) => {
    const postgres = await startPostgres(join(folder, "postgres"));
    const awaySink = new AwaySink(users);
    const environment = { DATABASE_URL: postgres.url };
    const start = { dataDir: join(folder, "data"), logFolder: folder, name: away.name, seed, environment };
    try {
      return await underLoad(start, async (loaded) => {
        awaySink.manner = "down";
        const awayId = await loaded.operator.install(await awaySink.start());
        return beAway({ ...loaded, postgres, awaySink, awayId, users });
      });
    } finally {
      awaySink.close();
      await postgres.stop();
    }
  });
}

async function beAway(loaded: Away): Promise<Verdict[]> {
  const { history, load, awaySink, users } = loaded;
  load.pace = Math.min(load.pace, PACE);
  await sendRound(loaded, 1, 1);
  await watched(loaded, `${users * ROUNDS} messages are queued`, async () => {
    for (let round = 2; round <= ROUNDS; round++) await sendRound(loaded, round, 1);
    await until(async () => (await deliveryOf(loaded)).queued_messages >= users * ROUNDS, "all messages are queued");
  });
  const queued = (await deliveryOf(loaded)).queued_messages;
  await moveBack(loaded);
  await sendRound(loaded, ROUNDS + 1, NEWER_EVERY);

  const old = users * ROUNDS;
  await until(async () => (await deliveryOf(loaded)).dead_letters > 0, "the first message is a dead letter");
  history.note("the next call has failed, and the first messages have become dead letters");
  await watched(loaded, `${old} messages have become dead letters`, () =>
    until(async () => (await deliveryOf(loaded)).dead_letters >= old, "the old messages are dead letters"),
  );
  await sleep(5_000);
  const given = await deliveryOf(loaded);
  history.note(
    `of ${queued} messages in the queue ${given.dead_letters} are dead letters, and ${given.queued_messages} newer ones wait`,
  );

  awaySink.manner = "up";
  await watched(loaded, "the connector is back, and the newer messages are delivered", () => untilDelivered(loaded));
  const retried = await watched(loaded, "the dead letters are sent again and delivered", () => retryAll(loaded));
  history.note(`${retried} dead letters were sent again; the connector has got ${awaySink.messages} messages`);
  return checkAll(loaded, { given, retried });
}

async function checkAll(loaded: Away, { given, retried }: { given: Delivery; retried: number }): Promise<Verdict[]> {
  const { operator, awaySink, awayId, users } = loaded;
  const lastOf = (user: number) => (user % NEWER_EVERY === 0 ? ROUNDS + 1 : ROUNDS);
  const old = users * ROUNDS;
  const newer = Math.ceil(users / NEWER_EVERY);
  // The load goes on, so the counts are compared when the queue is empty.
  const { total } = await operator.call<{ total: Record<string, number> }>(
    "GET",
    `/${awayId}/delivery/figures?range=day`,
  );
  const {
    queued_messages: waiting,
    dead_messages: dead,
    sent_messages: sent,
    dead_letters: left,
  } = await deliveryOf(loaded);
  const counted = [
    ...(dead === given.dead_letters ? [] : [`${dead} given up, ${given.dead_letters} dead letters`]),
    ...(total.dead === dead ? [] : [`${total.dead} given up by the figures of the day, ${dead} in all`]),
    ...(retried === dead ? [] : [`${retried} sent again of ${dead}`]),
    ...(left === 0 ? [] : [`${left} dead letters are left`]),
    ...(sent + waiting >= old + newer ? [] : [`only ${sent} sent and ${waiting} waiting`]),
  ];
  return [
    { promise: "messages to the connector that was away lost", checked: old + newer, broken: awaySink.missing(lastOf) },
    { promise: "messages to it doubled", checked: awaySink.messages, broken: awaySink.doubled },
    { promise: "messages to it out of order", checked: awaySink.messages, broken: awaySink.older },
    { promise: "counts of its messages that are wrong", checked: 5, broken: counted },
  ];
}

/** Sends a change of every user, or of one in so many, and waits until it is searchable. */
async function sendRound(loaded: Away, round: number, every: number): Promise<void> {
  const { sender, users } = loaded;
  const chosen = Array.from({ length: Math.ceil(users / every) }, (_, index) => index * every);
  let next = 0;
  let position = "";
  const work = async () => {
    while (next < chosen.length) {
      const part = chosen.slice(next, next + USERS_PER_BATCH);
      next += part.length;
      const answer = await sender.sendBatch(part.map((user) => entryOf(loaded, AwaySink.nameOf(user), { round })));
      if (!answer?.body.includes(`"accepted":${part.length},"rejected":[]`)) {
        throw new Error(`A batch was not accepted: ${answer?.body.slice(0, 300)}`);
      }
      position = answer.position;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, work));
  // Otherwise two changes of a user could become one message.
  await sender.waitFor(position);
}

/**
 * Makes the queue of the connector, and its time without a delivery, some days older, and ends the pause before the next
 * call. The server is killed for it, because it has these times in memory.
 */
async function moveBack({ server, postgres, awayId, history }: Away): Promise<void> {
  await server.kill();
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const moved = await client.query(
      "update outbox set created_at = created_at - $2 * interval '1 hour' where connector_id = $1",
      [awayId, AWAY_HOURS],
    );
    await client.query(
      `update delivery_states
       set state = state
         || jsonb_build_object('stuckSince', (state->>'stuckSince')::float8 - $2, 'notBefore', (state->'decidedAt'))
       where connector_id = $1`,
      [awayId, AWAY_HOURS * HOUR_MS],
    );
    history.note(
      `the server is killed, and in the database ${moved.rowCount} rows of the queue and the first failed call are made ${AWAY_HOURS} hours older`,
    );
  } finally {
    await client.end();
  }
  await server.restart();
  history.note("the server is started again");
}

async function retryAll(loaded: Away): Promise<number> {
  const { operator, awayId } = loaded;
  let retried = 0;
  for (let left = 1; left > 0; ) {
    const answer = await operator.call<{ retried: number; left: number }>("POST", "/dead_letters/retry", {
      connector_id: awayId,
      limit: RETRIED_AT_ONCE,
    });
    retried += answer.retried;
    left = answer.left;
  }
  await untilDelivered(loaded);
  return retried;
}

/** Waits until only messages of the load may be in the queue, which come all the time. */
async function untilDelivered(loaded: Away): Promise<void> {
  await until(async () => (await deliveryOf(loaded)).queued_messages < PACE, "the messages are delivered");
}

/** Does something, and notes how long it took and what others saw meanwhile. */
async function watched<Result>(loaded: Away, what: string, act: () => Promise<Result>): Promise<Result> {
  const { history, sender, server, connectorId, operator, sink } = loaded;
  const headers = { "svc-organization": "default", "svc-access-token": sender.token(AwaySink.nameOf(0)) };
  const probe = new GetProbe({ url: `${server.apiUrl}/api/v1/me/user_report`, headers });
  let longestLagMs = 0;
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await sleep(500)) {
      const { lag_ms: lagMs } = await operator.call<Delivery>("GET", `/${connectorId}/delivery`);
      longestLagMs = Math.max(longestLagMs, lagMs);
    }
  })();
  const begunAt = performance.now();
  const before = sink.messages;
  try {
    return await act();
  } finally {
    isOver = true;
    await watching;
    const latencies = await probe.stop();
    const [p50, p99] = [0.5, 0.99].map((part) => percentile(latencies, part).toFixed(0));
    history.note(
      `${what}: after ${secondsSince(begunAt).toFixed(1)} s; meanwhile the other connector got ${sink.messages - before} messages, and its oldest waited for ${longestLagMs} ms at most; GET p50 ${p50} ms, p99 ${p99} ms, longest ${(latencies.at(-1) ?? 0).toFixed(0)} ms`,
    );
  }
}

function deliveryOf({ operator, awayId }: Away): Promise<Delivery> {
  return operator.call<Delivery>("GET", `/${awayId}/delivery`);
}

function entryOf({ server }: Away, externalId: string, body: object): string {
  const token = signToken(
    {
      iss: server.connectorId,
      iat: Math.floor((Date.now() - DAY_MS) / 1_000),
      "io.svc.subjectType": "user",
      "io.svc.asUser": { external_id: externalId },
    },
    server.secret,
  );
  const timestamp = new Date().toISOString();
  return JSON.stringify({ type: "traits", timestamp, headers: { "Svc-Access-Token": token }, body });
}

async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`It did not happen in time: ${what}.`);
    await sleep(250);
  }
}
