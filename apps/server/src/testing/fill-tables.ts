import type { Queryable } from "../storage/postgres/database.js";

interface Column {
  table: string;
  column: string;
  type: string;
  /** The values that a check of the column allows, as it is written in the constraint; null when it has none. */
  check: string | null;
}

/** A row of a table as JSON, by column. */
export type StoredRow = Record<string, unknown>;

/**
 * Writes a row with this number to every table, whatever the schema is: made from the catalogue of the database, so that
 * the test of a migration needs no rows written by hand. All texts of a row are equal, so references between tables hold.
 */
export async function fillTables(database: Queryable, number: number): Promise<void> {
  const columns = await readColumns(database);
  await createPartitions(database);
  let waiting = [...new Set(columns.map(({ table }) => table))];
  while (waiting.length > 0) {
    const refused: { table: string; error: unknown }[] = [];
    for (const table of waiting) {
      const ofTable = columns.filter((column) => column.table === table);
      try {
        await insertRow(database, table, ofTable, number);
      } catch (error) {
        // A table that refers to others is tried again when those have rows.
        refused.push({ table, error });
      }
    }
    const [first] = refused;
    if (first && refused.length === waiting.length) {
      throw new Error(`No rows can be made up for ${first.table}: ${(first.error as Error).message}`);
    }
    waiting = refused.map(({ table }) => table);
  }
}

/** All rows of all tables but the list of migrations. */
export async function readTables(database: Queryable): Promise<Map<string, StoredRow[]>> {
  const tables = [...new Set((await readColumns(database)).map(({ table }) => table))];
  const found = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await database.query<{ row: StoredRow }>(
        `select to_jsonb(t) as row from ${table} t order by to_jsonb(t)::text`,
      );
      return [table, rows.map(({ row }) => row)] as const;
    }),
  );
  return new Map(found);
}

async function readColumns(database: Queryable): Promise<Column[]> {
  const { rows } = await database.query<Column>(`
    select t.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
      (
        select pg_get_constraintdef(c.oid)
        from pg_constraint c
        where c.conrelid = t.oid and c.contype = 'c' and c.conkey = array[a.attnum]
        limit 1
      ) as check
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
      and t.relname <> 'migrations'
    order by t.relname, a.attnum`);
  return rows;
}

/** The server creates a partition a day. A default one takes every row. */
async function createPartitions(database: Queryable): Promise<void> {
  const { rows } = await database.query<{ table: string }>(
    "select relname as table from pg_class where relnamespace = 'public'::regnamespace and relkind = 'p'",
  );
  for (const { table } of rows) {
    await database.query(`create table if not exists ${table}_default partition of ${table} default`);
  }
}

async function insertRow(database: Queryable, table: string, columns: Column[], number: number): Promise<void> {
  const names = columns.map(({ column }) => `"${column}"`).join(", ");
  const values = columns.map(({ type }, index) => `$${index + 1}::text::${type}`).join(", ");
  // The row conflicts with an earlier one where a table may have only one row for the values that a check allows.
  await database.query(
    `insert into ${table} (${names}) overriding system value values (${values}) on conflict do nothing`,
    columns.map((column) => madeUpValue(column, number)),
  );
}

const VALUES: Readonly<Record<string, (number: number) => string>> = {
  text: (number) => `text ${number}`,
  bytea: (number) => `\\x${twoDigits(number)}`,
  json: (number) => `{"number": ${number}}`,
  jsonb: (number) => `{"number": ${number}}`,
  boolean: (number) => String(number % 2 === 1),
  '"char"': (number) => String(number),
  "timestamp with time zone": (number) => `20${twoDigits(number)}-01-01T00:00:00Z`,
  date: (number) => `20${twoDigits(number)}-01-01`,
  uuid: (number) => `00000000-0000-0000-0000-0000000000${twoDigits(number)}`,
};
const NUMBERS = ["bigint", "integer", "smallint", "numeric", "double precision", "real"];

function madeUpValue({ table, column, type, check }: Column, number: number): string {
  const [allowed] = /'([^']*)'/.exec(check ?? "")?.slice(1) ?? [];
  if (allowed !== undefined) return allowed;
  // Such as `check (is_held)`.
  if (type === "boolean" && check !== null) return "true";
  const single = type.replace(/\[\]$/, "");
  const make = NUMBERS.includes(single) ? String : VALUES[single];
  if (!make) throw new Error(`No value is known for the type ${type} of ${table}.${column}. Add one here.`);
  return single === type ? make(number) : `{"${make(number)}"}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
