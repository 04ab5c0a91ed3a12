import pg from "pg";
import { USERS_PER_ACCOUNT } from "./attributes.js";
import { accountsSql, eventCountsSql, POSTGRES, usersSql } from "./generated-sql.js";
import { type Column, columnSql, type Marker, type TemplateRow } from "./learn-row.js";
import type { Templates } from "./templates.js";

/** The tables of PostgreSQL that hold users and accounts, and which column is the subject's id. */
const USER_TABLES = { profiles: "users", identifiers: "user_identifiers", owner: "user_id" };
const ACCOUNT_TABLES = { profiles: "accounts", identifiers: "account_identifiers", owner: "account_id" };

const USERS_PER_STATEMENT = 250_000;

/** Writes the profiles and identifiers of generated users and accounts, in the form in which the server stores the templates. */
export async function multiplyProfiles(
  databaseUrl: string,
  { userIds, accountId, markers }: Templates,
  users: number,
): Promise<void> {
  const clients = await Promise.all([connect(databaseUrl), connect(databaseUrl)]);
  const [client, other] = clients;
  try {
    const accounts = Math.ceil(users / USERS_PER_ACCOUNT);
    const userRows = await learn(client, USER_TABLES, userIds, markers.user);
    const accountRows = await learn(client, ACCOUNT_TABLES, [accountId], markers.account);
    const countedUsersSql: typeof usersSql = (...range) =>
      `select *, ${eventCountsSql(users)} as event_counts from (${usersSql(...range)}) as users`;
    const write = async (on: pg.Client, inserts: readonly string[], source: typeof usersSql, count: number) => {
      for (let first = 0; first < count; first += USERS_PER_STATEMENT) {
        const made = `(${source(POSTGRES, first, Math.min(count, first + USERS_PER_STATEMENT))} offset 0) as made`;
        for (const insert of inserts) await on.query(`${insert} from ${made}`);
      }
    };
    await Promise.all([
      write(client, userRows.profiles, countedUsersSql, users),
      write(other, accountRows.profiles, accountsSql, accounts)
        .then(() => write(other, accountRows.identifiers, accountsSql, accounts))
        .then(() => write(other, userRows.identifiers, usersSql, users)),
    ]);
  } finally {
    await Promise.all(clients.map((each) => each.end()));
  }
}

/** Removes the templates, so that only generated users are left, and gives the planner statistics. */
export async function removeTemplates(databaseUrl: string, { userIds, accountId }: Templates): Promise<void> {
  const client = await connect(databaseUrl);
  try {
    for (const { profiles, identifiers, owner } of [USER_TABLES, ACCOUNT_TABLES]) {
      const ids = [...userIds, accountId];
      await client.query(`delete from ${profiles} where id = any($1)`, [ids]);
      await client.query(`delete from ${identifiers} where ${owner} = any($1)`, [ids]);
    }
    await client.query("delete from event_keys where user_id = any($1)", [userIds]);
    await client.query("vacuum (analyze) users, accounts, user_identifiers, account_identifiers");
  } finally {
    await client.end();
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("set synchronous_commit = off");
  return client;
}

/** The statements, without what they read from, that write a profile and the identifiers of each generated subject. */
async function learn(
  client: pg.Client,
  { profiles, identifiers, owner }: typeof USER_TABLES,
  ids: readonly string[],
  markers: readonly Marker[][],
): Promise<{ profiles: string[]; identifiers: string[] }> {
  const stored = await readTable(client, profiles, "id", ids);
  // All shapes have the same identifiers.
  const owned = await readTable(client, identifiers, owner, ids.slice(0, 1));
  const own = markers.slice(0, 1);
  return {
    profiles: [insertSql(profiles, stored.columns, stored.rows, markers)],
    identifiers: owned.rows.map((row) => insertSql(identifiers, owned.columns, [row], own)),
  };
}

function insertSql(table: string, columns: Column[], rows: TemplateRow[], markers: readonly Marker[][]): string {
  const values = columns.map((column) => columnSql(column, rows, markers));
  return `insert into ${table} (${columns.map(({ name }) => `"${name}"`).join(", ")}) select ${values.join(", ")}`;
}

/** The rows of some subjects as text, in the order of the ids. */
async function readTable(client: pg.Client, table: string, idColumn: string, ids: readonly string[]) {
  const { rows: columns } = await client.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type
     from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped
     order by attnum`,
    [table],
  );
  const texts = columns.map(({ name }) => `"${name}"::text`).join(", ");
  const { rows } = await client.query<TemplateRow>(
    `select ${texts} from ${table} where ${idColumn} = any($1) order by array_position($1, ${idColumn})`,
    [ids],
  );
  if (rows.length === 0) throw new Error(`${table} holds no template.`);
  return { columns, rows };
}
