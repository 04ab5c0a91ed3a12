import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { BenchOptions } from "../../lib/bench.js";
import { withDataDir } from "../../lib/start-server.js";
import type { ChaosCase } from "../chaos-case.js";
import type { Verdict } from "../check.js";
import { ServerPair } from "../server-pair.js";
import { type LoadedServer, loadServer, withLog } from "../under-load.js";

const SUSPENDED_MS = 60_000;
/** How long both servers run after the first one was resumed. What it still had in memory, it does at once. */
const TOGETHER_MS = 10_000;
const ALONE_MS = 10_000;
const PATIENCE_MS = 60_000;
const LINES = 20_000;

type Pair = LoadedServer<ServerPair>;

/** Suspends the first server in the middle of something. Returns what is to be checked at the end. */
type Suspend = (loaded: Pair) => Promise<() => Promise<Verdict[]>>;

const nothingMore = async (): Promise<Verdict[]> => [];

export const suspendedInApply = suspended("apply", "the transaction of a micro-batch", suspendInApply);
export const suspendedInDelivery = suspended("delivery", "a call to a connector", suspendInDelivery);
export const suspendedInJob = suspended("job", "an import", suspendInJob);

function suspended(name: string, what: string, suspend: Suspend): ChaosCase {
  return {
    name: `suspended-${name}`,
    description: `a server is suspended for ${SUSPENDED_MS / 1_000} s in the middle of ${what}, another one takes over, and the first is resumed`,
    run: ({ seed = Date.now() % 100_000 }: BenchOptions) =>
      withDataDir((logFolder) =>
        withLog({ logFolder, name: `suspended-${name}`, seed }, async (logFile) => {
          const pair = await ServerPair.open(logFile);
          try {
            return await loadServer(pair, { seed }, (loaded) => takeTurns(loaded, what, suspend));
          } finally {
            await pair.close();
          }
        }),
      ),
  };
}

async function takeTurns(loaded: Pair, what: string, suspend: Suspend): Promise<Verdict[]> {
  const { server, history, sink, operator, connectorId } = loaded;
  const check = await suspend(loaded);
  const suspendedAt = Date.now();
  history.note(`the first server is suspended in the middle of ${what}`);
  await server.takeOver();
  history.note(`the second server runs ${((Date.now() - suspendedAt) / 1_000).toFixed(1)} s later`);
  await sleep(Math.max(0, SUSPENDED_MS - (Date.now() - suspendedAt)));
  const { queued_messages: queued } = await operator.call<{ queued_messages: number }>(
    "GET",
    `/${connectorId}/delivery`,
  );
  const before = { messages: sink.messages, repeated: sink.repeated };
  history.note(`the connector has got ${before.messages} messages, ${before.repeated} of them again; ${queued} wait`);
  server.resume();
  history.note(`the first server is resumed after ${((Date.now() - suspendedAt) / 1_000).toFixed(1)} s`);
  await sleep(TOGETHER_MS);
  const again = sink.repeated - before.repeated;
  await server.first.stop();
  history.note("the first server is stopped, as its log asks for: the two have separate question engines");
  await sleep(ALONE_MS);
  const late = again === 0 ? [] : [`${again} messages that the second server had delivered came again`];
  return [
    { promise: "messages that the resumed server sent again", checked: sink.messages - before.messages, broken: late },
    ...(await check()),
  ];
}

/** The transaction of apply holds the head of the change log and has read the cursors. Only the first server has one. */
const IN_APPLY = `
  select count(distinct head.pid)::integer as count
  from pg_locks head
  join pg_locks cursors on cursors.pid = head.pid
  where head.relation = 'change_heads'::regclass and head.mode = 'RowExclusiveLock' and head.granted
    and cursors.relation = 'apply_cursors'::regclass`;

async function suspendInApply({ server }: Pair) {
  const client = new pg.Client({ connectionString: server.postgres.url });
  await client.connect();
  try {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(10)) {
      server.suspend();
      // A statement that is under way ends. The transaction stays, because nobody can end it.
      await sleep(100);
      const { rows } = await client.query<{ count: number }>(IN_APPLY);
      if (rows[0]?.count) return nothingMore;
      server.resume();
    }
    throw new Error("The server was never found in the middle of apply.");
  } finally {
    await client.end();
  }
}

async function suspendInDelivery({ server, sink }: Pair) {
  await new Promise<void>((resolve) => {
    sink.onNextCall = () => {
      server.suspend();
      resolve();
    };
  });
  // The answer of this one call does not arrive, so its messages are sent again.
  return nothingMore;
}

interface ImportJob {
  id: string;
  status: string;
  progress: { processed: number; rejected: number };
}

async function suspendInJob({ server, operator, history }: Pair) {
  const applied = { operation: "inc", value: 1 };
  const file = Array.from({ length: LINES }, (_, n) =>
    JSON.stringify({ userId: `imported-${n}`, traits: { line: n, applied } }),
  );
  const files = createServer((_, response) => response.end(file.join("\n")));
  await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
  // `address()` is a string only for pipes.
  const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/users.ndjson`;
  const { id } = await operator.call<ImportJob>("POST", "/import/users", { url, format: "json", emit_event: true });
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(5)) {
    const job = await operator.call<ImportJob>("GET", `/${id}`);
    if (job.status === "running" && job.progress.processed > 0 && job.progress.processed < LINES) {
      server.suspend();
      history.note(`the import has processed ${job.progress.processed} of ${LINES} lines`);
      break;
    }
    if (job.status === "completed" || Date.now() > deadline)
      throw new Error(`The import was never under way: ${job.status}.`);
  }
  return async (): Promise<Verdict[]> => {
    const job = await untilEnded(operator, id);
    files.close();
    history.note(`the import is ${job.status}: ${job.progress.processed} lines, ${job.progress.rejected} rejected`);
    return checkImport(operator, job);
  };
}

async function untilEnded(operator: Pair["operator"], id: string): Promise<ImportJob> {
  for (const deadline = Date.now() + 2 * PATIENCE_MS; ; await sleep(250)) {
    const job = await operator.call<ImportJob>("GET", `/${id}`);
    if (job.status === "completed" || job.status === "failed" || Date.now() > deadline) return job;
  }
}

async function checkImport(operator: Pair["operator"], { status, progress }: ImportJob): Promise<Verdict[]> {
  let whole = 0;
  const doubled: string[] = [];
  for await (const { external_id, traits_line, traits_applied } of operator.extract("users")) {
    const line = /^imported-(\d+)$/.exec(String(external_id))?.[1];
    if (line === undefined) continue;
    if (traits_line === Number(line)) whole += 1;
    if (traits_applied !== 1) doubled.push(`line ${line} was applied ${String(traits_applied)} times`);
  }
  let events = 0;
  for await (const { event } of operator.extract("events")) if (event === "Imported User") events += 1;
  const isWhole = status === "completed" && progress.processed === LINES && progress.rejected === 0;
  return [
    {
      promise: "lines of the import that are lost",
      checked: LINES,
      broken: [
        ...(isWhole ? [] : [`the job is ${status} with ${progress.processed} lines, ${progress.rejected} rejected`]),
        ...(whole === LINES ? [] : [`${LINES - whole} users are missing or have another value`]),
      ],
    },
    {
      promise: "lines of the import that are applied twice",
      checked: LINES,
      broken: [...doubled, ...(events === LINES ? [] : [`${events} events say that a user was imported`])],
    },
  ];
}
