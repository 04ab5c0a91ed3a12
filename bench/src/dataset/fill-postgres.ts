import type pg from "pg";
import {
  ATTRIBUTES,
  EVENT_NAMES,
  EVENT_PACE,
  EVENT_PRIME,
  EVENT_SECONDS,
  EVENT_USER_PACE,
  EVENTS_PER_USER,
  generateSql,
  MEMBERS_BELOW_MRR,
  USERS_PER_ACCOUNT,
} from "./attributes.js";
import { INDUSTRIES } from "./words.js";

export interface PostgresFilling {
  users: number;
  /** The current time, in unix seconds. */
  now: number;
  /** Whether users are searched for, and not only their events: with companies, members and indexes on people. */
  hasSearches: boolean;
}

/**
 * Writes the same users and events to PostgreSQL as one would usually store them: attributes as jsonb with a GIN index,
 * events in a table with indexes. Events are written in the order of their time, as they would arrive.
 */
export async function fillPostgres(client: pg.ClientBase, { users, now, hasSearches }: PostgresFilling): Promise<void> {
  const fields = ["'email', 'user-' || n || '@example.com'"].concat(
    ATTRIBUTES.map((attribute) => `'${attribute.name}', ${generateSql(attribute)}`),
  );
  // The server has tables of its own in this database, some with the same names.
  await client.query(`
    create schema baseline;
    set search_path = baseline;
    create table people (
      id bigint primary key, account_id bigint not null, attributes jsonb not null
    );
    create table companies (id bigint primary key, attributes jsonb not null);
    create table members (segment_id text not null, person_id bigint not null, primary key (segment_id, person_id));
    create table actions (
      person_id bigint not null, event text not null, created_at timestamptz not null, properties jsonb not null
    )`);
  await client.query(
    `insert into people
     select n, n / ${USERS_PER_ACCOUNT}, jsonb_strip_nulls(jsonb_build_object(${fields.join(", ")}))
     from generate_series(0::bigint, $1::bigint - 1) as g (n)`,
    [users],
  );
  await client.query(
    `insert into actions
     select (m * ${EVENT_USER_PACE}) % $1, 'Event ' || ((m % ${EVENT_PRIME}) * (m % ${EVENT_PRIME})) % ${EVENT_PRIME} % ${EVENT_NAMES},
       to_timestamp($2::bigint - (m * ${EVENT_PACE}) % ${EVENT_SECONDS}),
       jsonb_build_object('path', '/p/' || m % 200, 'amount', (m * 31) % 997)
     from generate_series(0::bigint, $1::bigint * ${EVENTS_PER_USER} - 1) as g (m)
     order by (m * ${EVENT_PACE}) % ${EVENT_SECONDS} desc`,
    [users, now],
  );
  if (hasSearches) await prepareSearches(client, users);
  await client.query("create index on actions (event, created_at, person_id)");
  await client.query("create index on actions (person_id, created_at)");
  await client.query("vacuum (analyze) people, companies, members, actions");
}

async function prepareSearches(client: pg.ClientBase, users: number): Promise<void> {
  await client.query(
    `insert into companies
     select n, jsonb_build_object('industry', (array['${INDUSTRIES.join("', '")}'])[n % ${INDUSTRIES.length} + 1])
     from generate_series(0::bigint, $1::bigint - 1) as g (n)`,
    [Math.ceil(users / USERS_PER_ACCOUNT)],
  );
  await client.query(
    `insert into members
     select 'segment', id from people where (attributes ->> 'mrr')::numeric < $1`,
    [MEMBERS_BELOW_MRR],
  );
  await client.query("create index on people using gin (attributes jsonb_path_ops)");
  await client.query("create index on people (account_id)");
  await client.query("create index on people ((attributes ->> 'email'))");
  await client.query("create index on companies using gin (attributes jsonb_path_ops)");
}
