import type { Engine } from "../engine/engine.js";
import type { OrganizationFile } from "../engine/organization-file.js";
import type { FileTransaction } from "../engine/transaction.js";
import {
  type Build,
  EventTimes,
  RUN_COLUMNS,
  type Run,
  type RunState,
  type TimesRules,
  tableName,
} from "../layout/event-times.js";
import { TIMES_FILE_VERSION } from "../layout/layout.js";

/**
 * Does one piece of what keeps the times of a file fast to look up. Returns whether it did anything. The writer waits only while a piece is
 * written: it is read and sorted before, beside the writer.
 */
export async function keepTimes(engine: Engine, file: OrganizationFile, rules: TimesRules): Promise<boolean> {
  const { times } = file;
  if (times === undefined) return begin(file, rules);
  if (times.build) return buildPiece(engine, file, times, times.build);
  if (times.oldRuns.length > 0 && times.readers === 0) return dropOldRuns(file, times);
  if (times.tail.entries >= rules.runEntries) return beginTail(file, times);
  const inputs = times.nextInputs(rules);
  if (inputs.length > 0) return beginBuild(file, times, inputs, rules);
  return times.unread > 0 && readOlderEvents(engine, file, times, rules);
}

/** From here on new events get entries. Those of older events follow in pages. */
async function begin(file: OrganizationFile, { leastEvents }: TimesRules): Promise<boolean> {
  if ((await file.countEvents()) < leastEvents) return false;
  await file.write(async (tx) => {
    const [row] = await tx.rows<{ rows: bigint }>(
      `select coalesce(max(rowid) + 1, 0) as rows from ${file.databaseName}.events`,
    );
    const unread = Number(row?.rows ?? 0);
    const tail: Run = { number: 1, state: "tail", entries: 0 };
    tx.runLater(`create table ${file.databaseName}.event_time_runs (number integer, state varchar, entries bigint)`);
    createRun(tx, tail);
    saveRun(tx, { number: 0, state: "unread", entries: unread });
    // An older program would write events without entries. It fills a file of an unknown version again.
    tx.runLater(`update ${file.databaseName}.progress set version = ${TIMES_FILE_VERSION}`);
    tx.onCommit(() => {
      file.version = TIMES_FILE_VERSION;
      file.times = new EventTimes(file.databaseName, [tail], unread);
    });
  });
  return true;
}

/** The tail is to be sorted, and an empty one takes its place. */
async function beginTail(file: OrganizationFile, times: EventTimes): Promise<boolean> {
  await file.write(async (tx) => {
    const full = times.tail;
    const tail: Run = { number: times.nextNumber, state: "tail", entries: 0 };
    createRun(tx, tail);
    changeRun(tx, full, "full");
    tx.onCommit(() => {
      full.state = "full";
      times.runs.push(tail);
    });
  });
  return true;
}

async function beginBuild(
  file: OrganizationFile,
  times: EventTimes,
  inputs: readonly Run[],
  { runEntries }: TimesRules,
): Promise<boolean> {
  const entries = inputs.reduce((sum, input) => sum + input.entries, 0);
  const run: Run = { number: times.nextNumber, state: "building", entries: 0 };
  await file.write(async (tx) => {
    createRun(tx, run);
    tx.onCommit(() => {
      times.runs.push(run);
      times.build = { run, inputs, pieces: Math.max(1, Math.round(entries / runEntries)), done: 0 };
    });
  });
  return true;
}

const KEYS = 2n ** 64n;
const LOWEST_KEY = -(2n ** 63n);

/** Writes the entries of a part of all owners. Keys are hashes, so that parts of the same width have about as many entries. */
async function buildPiece(engine: Engine, file: OrganizationFile, times: EventTimes, build: Build): Promise<boolean> {
  const { run, inputs, pieces, done } = build;
  const from = LOWEST_KEY + (KEYS * BigInt(done)) / BigInt(pieces);
  const to = LOWEST_KEY + (KEYS * BigInt(done + 1)) / BigInt(pieces) - 1n;
  const source = times.entries(`owner between ${from} and ${to}`, inputs);
  await writeSorted(engine, file, times, source, async (tx, piece) => {
    tx.runLater(`insert into ${times.tableOf(run)} select * from ${piece}`);
    const isLast = done + 1 === pieces;
    const [counted] = await tx.rows<{ count: bigint }>(`select count(*) as count from ${piece}`);
    const entries = run.entries + Number(counted?.count ?? 0);
    if (isLast) {
      tx.runLater(
        `update ${tx.databaseName}.event_time_runs set state = 'sorted', entries = ${entries} where number = ${run.number}`,
      );
      for (const input of inputs) changeRun(tx, input, "old");
    }
    tx.onCommit(() => {
      run.entries = entries;
      build.done += 1;
      if (!isLast) return;
      run.state = "sorted";
      for (const input of inputs) input.state = "old";
      times.build = undefined;
    });
  });
  return true;
}

/** Reads a page of events that have no entries, from the last such row towards the first. */
async function readOlderEvents(
  engine: Engine,
  file: OrganizationFile,
  times: EventTimes,
  { pageRows }: TimesRules,
): Promise<boolean> {
  const next = Math.max(0, times.unread - pageRows);
  const page = (key: string) =>
    `select ${key} as owner, created_at as happened from ${file.databaseName}.events
     where rowid >= ${next} and rowid < ${times.unread} and ${key} is not null`;
  await writeSorted(engine, file, times, `${page("user_key")} union all ${page("account_key")}`, async (tx, piece) => {
    const [counted] = await tx.rows<{ count: bigint }>(`select count(*) as count from ${piece}`);
    const run: Run = { number: times.nextNumber, state: "sorted", entries: Number(counted?.count ?? 0) };
    if (run.entries > 0) {
      createRun(tx, run);
      tx.runLater(`insert into ${times.tableOf(run)} select * from ${piece}`);
    }
    tx.runLater(`update ${tx.databaseName}.event_time_runs set entries = ${next} where state = 'unread'`);
    tx.onCommit(() => {
      if (run.entries > 0) times.runs.push(run);
      times.unread = next;
    });
  });
  return true;
}

/** Drops runs that are replaced, when no look-up can be reading them. */
async function dropOldRuns(file: OrganizationFile, times: EventTimes): Promise<boolean> {
  const { oldRuns } = times;
  await file.write(async (tx) => {
    for (const run of oldRuns) {
      tx.runLater(`drop table ${times.tableOf(run)}`);
      tx.runLater(`delete from ${tx.databaseName}.event_time_runs where number = ${run.number}`);
    }
    tx.onCommit(() => {
      for (const run of oldRuns) times.remove(run);
    });
  });
  return true;
}

/** Reads entries into a sorted table in memory, and then writes these in a transaction. */
async function writeSorted(
  engine: Engine,
  file: OrganizationFile,
  times: EventTimes,
  source: string,
  write: (tx: FileTransaction, piece: string) => Promise<void>,
): Promise<void> {
  const piece = `memory.main.times_of_${file.databaseName}`;
  const { erasures } = times;
  try {
    await engine.run(`create or replace table ${piece} as select owner, happened from (${source}) order by all`);
    await file.write(async (tx) => {
      // What was erased meanwhile may be in the piece. It is read again.
      if (times.erasures === erasures) await write(tx, piece);
    });
  } finally {
    await engine.run(`drop table if exists ${piece}`);
  }
}

function createRun(tx: FileTransaction, run: Run): void {
  const columns = RUN_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(", ");
  tx.runLater(`create table ${tx.databaseName}.${tableName(run.number)} (${columns})`);
  saveRun(tx, run);
}

function saveRun(tx: FileTransaction, run: { number: number; state: RunState | "unread"; entries: number }): void {
  const values = `${run.number}, '${run.state}', ${run.entries}`;
  tx.runLater(`insert into ${tx.databaseName}.event_time_runs values (${values})`);
}

function changeRun(tx: FileTransaction, run: Run, state: RunState): void {
  tx.runLater(
    `update ${tx.databaseName}.event_time_runs set state = '${state}', entries = ${run.entries} where number = ${run.number}`,
  );
}
