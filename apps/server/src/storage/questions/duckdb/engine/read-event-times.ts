import { EventTimes, type Run, type RunState, tableName } from "../layout/event-times.js";
import type { Engine } from "./engine.js";

interface RunRow {
  [column: string]: unknown;
  number: number;
  state: RunState | "unread";
  entries: bigint;
}

/** Reads which runs a file has; undefined when it has none. Runs that nobody needs after a restart are dropped. */
export async function readEventTimes(
  engine: Engine,
  databaseName: string,
  hasTimes: boolean,
): Promise<EventTimes | undefined> {
  if (!hasTimes) return undefined;
  const rows = await engine.rows<RunRow>({ sql: `select * from ${databaseName}.event_time_runs`, params: {} });
  const dropped = rows.filter(({ state }) => state === "building" || state === "old");
  if (dropped.length > 0) {
    const tables = dropped.map(({ number }) => `drop table ${databaseName}.${tableName(number)}`);
    const rest = `delete from ${databaseName}.event_time_runs where state in ('building', 'old')`;
    await engine.run(["begin", ...tables, rest, "commit"].join("; "));
  }
  const unread = rows.find(({ state }) => state === "unread");
  const runs = rows.flatMap(({ number, state, entries }): Run[] =>
    state === "unread" || state === "building" || state === "old" ? [] : [{ number, state, entries: Number(entries) }],
  );
  const times = new EventTimes(databaseName, runs, Number(unread?.entries ?? 0));
  const [counted] = await engine.rows<{ count: bigint }>({
    sql: `select count(*) as count from ${times.tableOf(times.tail)}`,
    params: {},
  });
  times.tail.entries = Number(counted?.count ?? 0);
  return times;
}
