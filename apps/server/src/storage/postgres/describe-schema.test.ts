import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../testing/test-database.js";
import { openDatabase } from "./database.js";
import { describeSchema } from "./describe-schema.js";

const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };

test("schema.sql is the schema that the migrations produce (if not, run: npm run generate)", async () => {
  const database = openDatabase({ url: await createTestDatabase(), ...quiet });
  try {
    const committed = await readFile(new URL("../../../schema.sql", import.meta.url), "utf8");
    expect(await describeSchema(database)).toBe(committed);
  } finally {
    await database.close();
  }
});

test("a description contains columns, defaults, constraints, indexes, identity, storage options and partitioning", async () => {
  const database = openDatabase({ url: await createTestDatabase(), ...quiet });
  try {
    const before = await describeSchema(database);
    await database.query(`
      create table zz_logs (id bigint generated always as identity, at timestamptz not null) partition by range (at);
      create table zz_logs_2030 partition of zz_logs for values from ('2030-01-01') to ('2031-01-01');
      create table zz_rows (
        id text primary key,
        "Odd name" numeric(10, 2) default 1.5 check ("Odd name" > 0),
        log_id text references zz_rows on delete cascade
      ) with (fillfactor = 80);
      create index zz_rows_by_log on zz_rows (log_id) where log_id is not null`);
    expect(await describeSchema(database)).toBe(`${before}
create table zz_logs (
  id bigint not null generated always as identity,
  at timestamp with time zone not null
) partition by RANGE (at);

create table zz_rows (
  id text not null,
  "Odd name" numeric(10,2) default 1.5,
  log_id text,
  constraint zz_rows_pkey PRIMARY KEY (id),
  constraint zz_rows_log_id_fkey FOREIGN KEY (log_id) REFERENCES zz_rows(id) ON DELETE CASCADE,
  constraint "zz_rows_Odd name_check" CHECK (("Odd name" > (0)::numeric))
) with (fillfactor=80);
CREATE INDEX zz_rows_by_log ON public.zz_rows USING btree (log_id) WHERE (log_id IS NOT NULL);
`);
  } finally {
    await database.close();
  }
});
