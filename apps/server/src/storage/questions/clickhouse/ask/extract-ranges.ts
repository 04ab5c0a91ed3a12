import { StatementParams, type Target } from "@muster/query";
import type { Extracting, KeyRange, RowKey } from "../../extracting.js";
import type { Statements } from "../client/statements.js";
import { clickhouseDialect } from "./dialect.js";

// One statement reads one range. For 1 M users with accounts and segments, the joins of ranges of this size took 200 MB
// of memory. A single statement for all users took 500 MB, in about the same time.
const ROWS_PER_RANGE = 100_000;

/** Users and accounts are read in the order of their ids, events in the order of name and time. */
const KEYS: Record<Target, { columns: string; ascending: string; descending: string }> = {
  user: { columns: "id", ascending: "id", descending: "id desc" },
  account: { columns: "id", ascending: "id", descending: "id desc" },
  event: {
    columns: "event, toUnixTimestamp64Milli(created_at) as ms",
    ascending: "event, created_at",
    descending: "event desc, created_at desc",
  },
};

/** Divides tables into ranges of keys. Replaced row versions count too, so the size of a range is only approximate. */
export function clickhouseRanges(statements: Statements): Pick<Extracting, "lastKey" | "nextRange"> {
  return {
    async lastKey(organizationId, target) {
      const { columns, descending } = KEYS[target];
      const [key] = await statements.rows<RowKey>(
        `select ${columns} from ${target}s where org = {org:FixedString(24)} order by ${descending} limit 1`,
        { org: organizationId },
      );
      return key;
    },

    async nextRange(organizationId, target, after, until, format = "lines") {
      if (after && JSON.stringify(after) === JSON.stringify(until)) return undefined;
      // A server cannot join files that are on this machine.
      if (format === "parquet") return { after, until };
      const { columns, ascending } = KEYS[target];
      const dialect = clickhouseDialect(organizationId);
      const params = new StatementParams(dialect);
      const sql = `select ${columns}
         from ${target}s
         where ${dialect.ownRows(params)} and ${inRange({ after, until }, params)}
         order by ${ascending}
         limit 1 offset ${params.add("integer", ROWS_PER_RANGE - 1)}`;
      const [key] = await statements.ask<RowKey>({ sql, params: params.values });
      return { after, until: key ?? until };
    },
  };
}

/** The condition that a row is in a range. `id` is the name of the id column. */
export function inRange({ after, until }: KeyRange, params: StatementParams, id = "id"): string {
  const upTo = compareKey(until, "<", "<=", params, id);
  return after ? `${compareKey(after, ">", ">", params, id)} and ${upTo}` : upTo;
}

/** Compares the key of a row with another one: with `last` in the last column of the key, with `beyond` in the others. */
function compareKey(key: RowKey, beyond: string, last: string, params: StatementParams, id: string): string {
  if ("id" in key) return `${id} ${last} ${params.add("id", String(key.id))}`;
  const event = params.add("text", String(key.event));
  const time = `fromUnixTimestamp64Milli(${params.add("integer", Number(key.ms))}, 'UTC')`;
  return `(event ${beyond} ${event} or (event = ${event} and created_at ${last} ${time}))`;
}
