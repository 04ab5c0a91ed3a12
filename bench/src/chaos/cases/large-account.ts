import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS, signToken } from "@muster/protocol";
import type { BenchOptions } from "../../lib/bench.js";
import { percentile } from "../../lib/percentile.js";
import { secondsSince } from "../../lib/seconds-since.js";
import { withDataDir } from "../../lib/start-server.js";
import type { ChaosCase } from "../chaos-case.js";
import type { Verdict } from "../check.js";
import { GetProbe } from "../get-probe.js";
import { LinkSink } from "../link-sink.js";
import { type LoadedServer, underLoad } from "../under-load.js";

const USERS = 100_000;
const USERS_PER_BATCH = 500;
const SENDERS = 4;
const LIMIT_MS = 20 * 60_000;
const CROWD = { anonymous_id: "crowd" };
const SURVIVOR = { anonymous_id: "survivor" };

export const largeAccount: ChaosCase = {
  name: "large-account",
  description:
    "an account of 100,000 users (--users) is merged, then the survivor is erased, and the server is killed while the users follow",
  run,
};

async function run({ users = USERS, seed = Date.now() % 100_000 }: BenchOptions): Promise<boolean> {
  return withDataDir((folder) => {
    const sink = new LinkSink();
    const start = { dataDir: join(folder, "data"), logFolder: folder, name: largeAccount.name, seed, sink };
    return underLoad(start, (loaded) => mergeAndErase({ ...loaded, sink }, users));
  });
}

type Loaded = LoadedServer & { sink: LinkSink };

async function mergeAndErase(loaded: Loaded, users: number): Promise<Verdict[]> {
  const { history, sink, server } = loaded;
  const names = Array.from({ length: users }, (_, index) => `crowd-${index}`);
  await linkAll(loaded, names);
  await send(loaded, [entryOf(loaded, "traits", { user: "head", account: SURVIVOR })]);
  const crowd = await untilTold(loaded, names[0] ?? "", users);
  const survivor = await untilTold(loaded, "head", 1);
  history.note(`${users} users are linked to one account`);

  const merge = entryOf(loaded, "alias", { account: SURVIVOR }, CROWD);
  await follow(loaded, "merge", merge, { to: survivor, count: users + 1 });
  const erase = entryOf(loaded, "incinerate", { account: SURVIVOR });
  await follow(loaded, "erase", erase, {
    to: null,
    count: users + 1,
    during: async () => {
      await until(() => sink.countLinked(null) > users / 3, "a third of the users have followed");
      await server.kill();
      history.note("  the server is killed");
      await server.restart();
      history.note("  the server is started again");
    },
  });

  const chain = [crowd, survivor, null];
  const wrong = names.filter((name) => !isSame(sink.links.get(name) ?? [], chain));
  return [
    { promise: "users whose links were told lost, doubled or out of order", checked: users, broken: sink.brokenLinks },
    {
      promise: "users who were not told each link once",
      checked: users,
      broken: wrong.map((name) => `${name}: ${JSON.stringify(sink.links.get(name))}`),
    },
    await checkStored(loaded, [crowd, survivor]),
  ];
}

/** Does something to the account, and waits until the connector was told of all users. */
async function follow(
  loaded: Loaded,
  what: string,
  entry: string,
  { to, count, during }: { to: string | null; count: number; during?: () => Promise<void> },
): Promise<void> {
  const { history, sender, server, sink } = loaded;
  const headers = { "svc-organization": "default", "svc-access-token": sender.token("head") };
  const probe = new GetProbe({ url: `${server.apiUrl}/api/v1/me/user_report`, headers });
  const begunAt = performance.now();
  await send(loaded, [entry]);
  await during?.();
  await until(() => sink.countLinked(to) >= count, `all users have followed the ${what}`);
  const seconds = secondsSince(begunAt);
  const latencies = await probe.stop();
  const [p50, p99] = [0.5, 0.99].map((part) => percentile(latencies, part).toFixed(0));
  history.note(
    `${what}: all ${count} users have followed after ${seconds.toFixed(1)} s (${(count / seconds).toFixed(0)} a second); GET meanwhile: p50 ${p50} ms, p99 ${p99} ms, longest ${(latencies.at(-1) ?? 0).toFixed(0)} ms of ${latencies.length}`,
  );
}

/** Compares what the server holds with what must be true: nobody names an account any more. */
async function checkStored({ operator }: Loaded, accountIds: readonly string[]): Promise<Verdict> {
  const broken: string[] = [];
  let checked = 0;
  for await (const user of operator.extract("users")) {
    checked += 1;
    if (accountIds.includes(String(user.account_id))) broken.push(`${user.external_id}: ${user.account_id}`);
  }
  return { promise: "users who name an erased account", checked, broken };
}

async function linkAll(loaded: Loaded, names: readonly string[]): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < names.length) {
      const part = names.slice(next, next + USERS_PER_BATCH);
      next += part.length;
      await send(
        loaded,
        part.map((user) => entryOf(loaded, "traits", { user, account: CROWD })),
      );
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, work));
}

async function send({ sender }: Loaded, entries: string[]): Promise<void> {
  const answer = await sender.sendBatch(entries);
  if (!answer?.body.includes(`"accepted":${entries.length},"rejected":[]`)) {
    throw new Error(`A batch was not accepted: ${answer?.body.slice(0, 300)}`);
  }
}

interface Who {
  /** The external id of a user. */
  user?: string;
  account: Record<string, string>;
}

function entryOf({ server }: Loaded, type: string, { user, account }: Who, body: object = {}): string {
  const token = signToken(
    {
      iss: server.connectorId,
      iat: Math.floor((Date.now() - DAY_MS) / 1_000),
      "io.svc.subjectType": user === undefined ? "account" : "user",
      ...(user === undefined ? {} : { "io.svc.asUser": { external_id: user } }),
      "io.svc.asAccount": account,
    },
    server.secret,
  );
  return JSON.stringify({ type, timestamp: new Date().toISOString(), headers: { "Svc-Access-Token": token }, body });
}

/** Waits until as many users are told to be linked as one of them. Returns the id of the account. */
async function untilTold({ sink }: Loaded, name: string, count: number): Promise<string> {
  const linked = () => sink.links.get(name)?.at(-1) ?? undefined;
  await until(() => linked() !== undefined && sink.countLinked(linked() ?? null) >= count, `${name} is linked`);
  return linked() ?? "";
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`It did not happen in time: ${what}.`);
    await sleep(250);
  }
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
