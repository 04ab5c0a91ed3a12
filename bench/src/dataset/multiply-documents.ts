import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { answerOrders } from "../lib/answer-orders.js";
import { EVENT_SECONDS, EVENTS_PER_USER, USERS_PER_ACCOUNT } from "./attributes.js";
import { accountsSql, DUCKDB, eventsSql, KEY_MACROS, numberOfId, usersSql } from "./generated-sql.js";
import { type Column, columnSql, type Marker, type TemplateRow } from "./learn-row.js";
import type { Templates } from "./templates.js";

/**
 * An order to fill the question engine's file of a server that does not run. This module is a process of its own, because
 * only one process at a time may open the file, and its memory is free again afterwards.
 */
export interface MultiplyOrder {
  /** The file of the organization. */
  path: string;
  templates: Templates;
  users: number;
  /** The current time, in unix seconds. */
  now: number;
  hasEvents: boolean;
}

export interface MultiplyReport {
  /** The sequence of the last change that the file holds. */
  sequence: number;
}

const ROWS_PER_STATEMENT = 2_000_000;
/** One user in this many is written a second time, so that the table has replaced rows, as in use. */
const REWRITTEN_EVERY = 50;
/** Tables that hold no row for each user, account or event. */
const OTHER_TABLES = ["memberships", "fields", "segments", "ahead", "progress"];

answerOrders(async (order: MultiplyOrder): Promise<MultiplyReport> => {
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: "4GB",
    temp_directory: `${order.path}.filling`,
  });
  const connection = await instance.connect();
  await connection.run(`attach '${order.path.replaceAll("'", "''")}' as f`);
  await connection.run("set timezone = 'UTC'");
  for (const macro of KEY_MACROS) await connection.run(macro);
  await requireKnownTables(connection);
  const { templates, users } = order;
  await requireKey(connection, templates.accountId);
  const ids = [...templates.userIds, templates.accountId];

  const accounts = Math.ceil(users / USERS_PER_ACCOUNT);
  await multiply(connection, "accounts", [templates.accountId], templates.markers.account, accounts, accountsSql);
  await multiply(connection, "users", templates.userIds, templates.markers.user, users, usersSql);
  if (order.hasEvents) await multiplyEvents(connection, order);

  await connection.run("delete from f.users where id in (select unnest($1::varchar[]))", [list(ids)]);
  await connection.run("delete from f.accounts where id in (select unnest($1::varchar[]))", [list(ids)]);
  await connection.run("delete from f.events where user_id in (select unnest($1::varchar[]))", [list(ids)]);
  await rewriteSome(connection);
  await connection.run("checkpoint f");
  const [progress] = await rowsOf(connection, "select sequence::varchar as sequence from f.progress");
  connection.closeSync();
  instance.closeSync();
  return { sequence: Number(progress?.sequence) };
});

/** Text of a list, because the driver binds lists only with a type of its own. */
function list(ids: readonly string[]): string {
  return `[${ids.join(", ")}]`;
}

async function requireKnownTables(connection: DuckDBConnection): Promise<void> {
  const tables = await rowsOf(connection, "select table_name as name from duckdb_tables() where database_name = 'f'");
  const known = ["users", "accounts", "events", ...OTHER_TABLES];
  const unknown = tables.map(({ name }) => String(name)).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`It is not known how to fill the tables ${unknown.join(", ")}.`);
}

async function multiply(
  connection: DuckDBConnection,
  table: "users" | "accounts",
  ids: readonly string[],
  markers: readonly Marker[][],
  count: number,
  source: typeof usersSql,
): Promise<void> {
  const rows = await Promise.all(ids.map((id) => templateRow(connection, table, `id = '${id}'`)));
  const withKeys = markers.map((own, shape) => [...own, ...keyMarkers(rows[shape] ?? {}, KEYS)]);
  const insert = await insertSql(connection, table, rows, withKeys);
  for (let first = 0; first < count; first += ROWS_PER_STATEMENT) {
    await connection.run(`${insert} from (${source(DUCKDB, first, Math.min(count, first + ROWS_PER_STATEMENT))})`);
  }
}

async function multiplyEvents(connection: DuckDBConnection, { templates, users, now }: MultiplyOrder): Promise<void> {
  const row = await templateRow(connection, "events", `id = '${templates.eventId}'`);
  const markers = [...(templates.markers.event[0] ?? []), ...keyMarkers(row, EVENT_KEYS)];
  const insert = await insertSql(connection, "events", [row], [markers]);
  // Without these optimizers, events stay on the side of the join that keeps its order.
  await connection.run("set disabled_optimizers = 'join_order,build_side_probe_side'");
  await connection.run(
    `create temp table people as
     select ${numberOfId("id")} as n, id as the_id, key as the_key,
       account_id as the_account_id, account_key as the_account_key
     from f.users
     where id not in (select unnest($1::varchar[]))`,
    [list(templates.userIds)],
  );
  const statements = Math.ceil((users * EVENTS_PER_USER) / ROWS_PER_STATEMENT);
  const seconds = Math.ceil(EVENT_SECONDS / statements);
  for (let oldest = EVENT_SECONDS - 1; oldest >= 0; oldest -= seconds) {
    const source = eventsSql(users, now, oldest, Math.max(-1, oldest - seconds));
    await connection.run(`${insert} from (${source})`);
  }
}

/** The columns with keys of ids, and the SQL of those keys. */
const KEYS = { key: "the_key", account_key: "the_account_key" };
const EVENT_KEYS = { key: "the_event_key", user_key: "the_key", account_key: "the_account_key" };

function keyMarkers(row: TemplateRow, keys: Readonly<Record<string, string>>): Marker[] {
  return Object.entries(keys).flatMap(([column, sql]) => {
    const text = row[column];
    return text === null || text === undefined ? [] : [{ text, sql }];
  });
}

/** Makes sure that the SQL of keys gives the key that the server has stored. One is enough: planning it takes a second. */
async function requireKey(connection: DuckDBConnection, accountId: string): Promise<void> {
  const { key } = await templateRow(connection, "accounts", `id = '${accountId}'`);
  const [made] = await rowsOf(connection, `select key_of_id('${accountId}')::varchar as key`);
  if (made?.key !== key) throw new Error(`The key of ${accountId} is ${key} in the file, and ${made?.key} here.`);
}

async function insertSql(
  connection: DuckDBConnection,
  table: string,
  rows: readonly TemplateRow[],
  markers: readonly Marker[][],
): Promise<string> {
  const columns = await columnsOf(connection, table);
  const values = columns.map((column) => columnSql(column, rows, markers));
  return `insert into f.${table} (${columns.map(({ name }) => `"${name}"`).join(", ")}) select ${values.join(", ")}`;
}

async function templateRow(connection: DuckDBConnection, table: string, condition: string): Promise<TemplateRow> {
  const columns = await columnsOf(connection, table);
  const texts = columns.map(({ name }) => `"${name}"::varchar as "${name}"`).join(", ");
  const [row] = await rowsOf(connection, `select ${texts} from f.${table} where ${condition}`);
  if (!row) throw new Error(`${table} holds no template with ${condition}.`);
  return row;
}

async function columnsOf(connection: DuckDBConnection, table: string): Promise<Column[]> {
  const rows = await rowsOf(
    connection,
    `select column_name as name, data_type as type from duckdb_columns()
     where database_name = 'f' and table_name = '${table}' order by column_index`,
  );
  return rows.map(({ name, type }) => ({ name: String(name), type: String(type) }));
}

async function rewriteSome(connection: DuckDBConnection): Promise<void> {
  const some = `abs(key % ${REWRITTEN_EVERY}) = 0`;
  await connection.run(`create temp table rewritten as select * from f.users where ${some}`);
  await connection.run(`delete from f.users where ${some}`);
  await connection.run("insert into f.users select * from rewritten");
}

/** The rows of a statement whose columns are all texts. */
async function rowsOf(connection: DuckDBConnection, sql: string): Promise<TemplateRow[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowObjectsJS() as TemplateRow[];
}
