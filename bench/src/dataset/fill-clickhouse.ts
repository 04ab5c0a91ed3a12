import { tableStatements } from "@muster/query";
import { Session } from "chdb";
import { USERS_PER_ACCOUNT } from "./attributes.js";
import {
  accountsStatement,
  eventCount,
  eventsStatement,
  membershipsStatement,
  usersStatement,
} from "./clickhouse-sql.js";

/** What to write into the data directory of a server that does not run. */
export interface FillOrder {
  dataDir: string;
  org: string;
  users: number;
  segmentId: string;
  /** Seconds. */
  now: number;
  hasEvents: boolean;
}

// A process of its own, because one process at a time may hold the directory, and chdb lets go of it only at the end.
const ROWS_PER_INSERT = 250_000;
// So that rows have versions to choose from, as in a table that is written to.
const UPDATED_SHARE = 0.02;

process.on("message", (order: FillOrder) => {
  fill(order);
  process.send?.({ isDone: true });
});

function fill({ dataDir, org, users, segmentId, now, hasEvents }: FillOrder): void {
  const settings = [
    "input_format_try_infer_dates=0",
    "input_format_try_infer_datetimes=0",
    "json_type_escape_dots_in_keys=1",
  ];
  const session = new Session(dataDir, { connectionArgs: settings.map((setting) => `--${setting}`) });
  const run = (sql: string) => void session.query(sql);
  for (const statement of tableStatements()) run(statement);
  inParts(users, (from, count) => run(usersStatement(org, from, count)));
  const step = Math.round(1 / UPDATED_SHARE);
  run(usersStatement(org, 0, Math.floor(users / step), 2, step));
  run(accountsStatement(org, Math.ceil(users / USERS_PER_ACCOUNT)));
  run(membershipsStatement(org, segmentId, users));
  if (hasEvents) inParts(eventCount(users), (from, count) => run(eventsStatement(org, users, from, count, now)));
  session.close();
}

function inParts(total: number, write: (from: number, count: number) => void): void {
  for (let from = 0; from < total; from += ROWS_PER_INSERT) write(from, Math.min(ROWS_PER_INSERT, total - from));
}
