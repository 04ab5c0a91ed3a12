import {
  compileQuery,
  compileSegments,
  EventCounters,
  joinEventCounts,
  openScope,
  or,
  rowsOf,
  type Scope,
  type SegmentQuery,
} from "@muster/query";
import { OF_PIPELINE } from "../asking.js";
import type { Memberships, SegmentReading, SubjectMoves, WholeAudience } from "../memberships.js";
import { readMemberships } from "./ask/read-memberships.js";
import type { Row } from "./engine/engine.js";
import type { OrganizationFile } from "./engine/organization-file.js";
import type { OrganizationFiles } from "./engine/organization-files.js";
import { keysOf } from "./layout/keys.js";

/** How many answers one number has, one bit for each: reading a column per answer would take longer than computing it. */
const BITS = 30;

// Nearly all questions are of the pipeline. The API asks for the memberships of a few people too, which takes no time.
export function duckdbMemberships(files: OrganizationFiles): Memberships {
  return {
    membershipsOf: (organizationId, ids) =>
      files.use(organizationId, async (file) => {
        const found = await membershipsByKey(file, ids);
        return new Map(ids.map((id, index) => [id, found[index] ?? []]));
      }),

    segmentSizes: (organizationId, segmentIds) =>
      files.use(organizationId, async (file) => {
        const ids = new Map(segmentIds.flatMap((id) => entryOf(file.segmentNumber(id), id)));
        if (ids.size === 0) return new Map();
        const rows = await file.rows<{ segment: number; size: bigint }>({
          sql: `select segment, count(*) as size from ${file.databaseName}.memberships
            where segment in (select unnest($segments)) group by segment`,
          params: { segments: { type: "integer", value: [...ids.keys()] } },
        });
        return new Map(rows.flatMap(({ segment, size }) => entryOf(ids.get(segment), Number(size))));
      }),

    membersAfter: (organizationId, segmentId, after, limit) =>
      files.use(organizationId, async (file) => {
        const number = file.segmentNumber(segmentId);
        if (number === undefined) return [];
        const rows = await file.rows<{ entity_id: string }>(
          {
            sql: `select entity_id from ${file.databaseName}.memberships
            where segment = $segment and entity_id > $after order by entity_id limit $limit`,
            params: {
              after: { type: "text", value: after },
              segment: { type: "integer", value: number },
              limit: { type: "integer", value: limit },
            },
          },
          OF_PIPELINE,
        );
        return rows.map(({ entity_id }) => entity_id);
      }),

    changesOf: (organizationId, segments, ids, reading) =>
      files.use(organizationId, async (file) => {
        if (segments.length === 0 || ids.length === 0) return [];
        const [{ matches, asked }, stored] = await Promise.all([
          findMatches(file, segments, ids, reading),
          membershipsByKey(file, ids),
        ]);
        return ids.flatMap((id, index): SubjectMoves[] => {
          const before = new Set(stored[index]?.map(({ segmentId }) => segmentId));
          const now = matches.get(id) ?? new Set<string>();
          const entered = asked.filter((segmentId) => now.has(segmentId) && !before.has(segmentId));
          const left = asked.filter((segmentId) => !now.has(segmentId) && before.has(segmentId));
          return entered.length + left.length > 0 ? [{ id, entered, left }] : [];
        });
      }),

    changesOfSegments: (organizationId, segments, audience, reading) =>
      files.use(organizationId, (file) => findMoves(file, segments, audience, reading)),

    answer: (organizationId, questions, ids, reading) =>
      files.use(organizationId, async (file) => {
        if (questions.length === 0 || ids.length === 0) return new Map();
        return (await findMatches(file, questions, ids, reading)).matches;
      }),
  };
}

/** The memberships of each id, in the order of the ids. */
async function membershipsByKey(file: OrganizationFile, ids: readonly string[]) {
  const keys = keysOf(ids);
  const found = new Map(keys.map((key) => [key, [] as { segmentId: string; enteredAt: string }[]]));
  for (const { entity_key, segment_id, entered_at } of await readMemberships(file, keys, OF_PIPELINE)) {
    found.get(entity_key)?.push({ segmentId: segment_id, enteredAt: new Date(Number(entered_at)).toISOString() });
  }
  return keys.map((key) => found.get(key) ?? []);
}

/** Which of the queries each of these users or accounts matches. `asked` are the ids of queries that could be evaluated. */
async function findMatches(
  file: OrganizationFile,
  queries: readonly SegmentQuery[],
  ids: readonly string[],
  reading: SegmentReading,
): Promise<{ matches: Map<string, Set<string>>; asked: string[] }> {
  const opened = openScope({ ...reading, dialect: file.dialect });
  const { dialect, params } = opened;
  const among = dialect.among(ids, params);
  const scope: Scope = { ...opened, among, counters: new EventCounters() };
  const { compiled } = compileSegments(queries, scope);
  const columns = bitColumns(compiled.map(({ condition }) => condition));
  const asked = compiled.map(({ id }) => id);
  if (columns.length === 0) return { matches: new Map(), asked };
  const rows = await file.rows<Row & { id: string }>(
    {
      sql: `select id, ${columns.join(", ")} from ${rowsOf(reading.target, scope, joinEventCounts(scope))} and ${among(dialect.key)}`,
      params: params.values,
    },
    OF_PIPELINE,
  );
  const matches = new Map<string, Set<string>>();
  for (const row of rows) {
    const fitting: string[] = [];
    for (let column = 0; column < columns.length; column++) {
      addByBits(fitting, Number(row[`bits_${column}`]), asked, column);
    }
    if (fitting.length > 0) matches.set(row.id, new Set(fitting));
  }
  return { matches, asked };
}

/** Columns `bits_0`, … of numbers, with one bit for each condition: whether it is met. */
function bitColumns(conditions: readonly string[]): string[] {
  const columns: string[] = [];
  for (let start = 0; start < conditions.length; start += BITS) {
    const bits = conditions
      .slice(start, start + BITS)
      .map((condition, bit) => `case when ${condition} then ${2 ** bit} else 0 end`);
    columns.push(`${bits.join(" + ")} as bits_${columns.length}`);
  }
  return columns;
}

/** Evaluates segments for all subjects in one scan, and compares the result with the stored memberships. */
async function findMoves(
  file: OrganizationFile,
  segments: readonly SegmentQuery[],
  { limit, among }: WholeAudience,
  reading: SegmentReading,
): Promise<SubjectMoves[]> {
  const opened = openScope({ ...reading, dialect: file.dialect });
  const { key } = file.dialect;
  const candidates = among && `select ${key} from ${rowsOf(reading.target, opened)} and ${compileQuery(among, opened)}`;
  const isCandidate = (keySql: string) => `${keySql} in (select ${key} from candidates)`;
  const scope: Scope = candidates ? { ...opened, among: isCandidate, counters: new EventCounters() } : opened;
  const { compiled } = compileSegments(segments, scope);
  if (compiled.length === 0) return [];
  const columns = bitColumns(compiled.map(({ condition }) => condition));
  const each = (express: (column: number) => string) => columns.map((_, column) => express(column));
  const isInAny = or(each((column) => `bits_${column} <> 0`));
  const numbers = compiled.map(({ id }) => file.segmentNumber(id) ?? -1);
  const ofCandidate = (keySql: string) => (candidates ? ` and ${isCandidate(keySql)}` : "");
  const sql = [
    candidates ? `with candidates as materialized (${candidates})` : "",
    `select coalesce(n.id, b.entity_id) as id, ${each((column) => `coalesce(n.bits_${column}, 0) as now_${column}, coalesce(b.bits_${column}, 0) as before_${column}`).join(", ")}`,
    "from (",
    `select * from (select id, ${key}, ${columns.join(", ")} from ${rowsOf(reading.target, scope, joinEventCounts(scope))}${ofCandidate(key)})`,
    `where ${isInAny}`,
    ") n full join (",
    `select entity_key, any_value(entity_id) as entity_id, ${bitColumns(numbers.map((number) => `bool_or(segment = ${number})`)).join(", ")}`,
    `from ${file.databaseName}.memberships where segment in (${numbers.join(", ")})${ofCandidate("entity_key")}`,
    `group by entity_key) b on n.${key} = b.entity_key`,
    `where ${or(each((column) => `now_${column} <> before_${column}`))}`,
    `limit ${scope.params.add("integer", limit)}`,
  ].join("\n");
  const rows = await file.rows<Row & { id: string }>({ sql, params: scope.params.values }, OF_PIPELINE);
  const ids = compiled.map(({ id }) => id);
  return rows.map((row) => {
    const moves = { id: row.id, entered: [] as string[], left: [] as string[] };
    for (let column = 0; column < columns.length; column++) {
      const now = Number(row[`now_${column}`]);
      const before = Number(row[`before_${column}`]);
      addByBits(moves.entered, now & ~before, ids, column);
      addByBits(moves.left, before & ~now, ids, column);
    }
    return moves;
  });
}

/** Adds the ids whose bit is set in the number of a column. */
function addByBits(found: string[], bits: number, ids: readonly string[], column: number): void {
  for (let rest = bits; rest !== 0; rest &= rest - 1) {
    const id = ids[column * BITS + 31 - Math.clz32(rest & -rest)];
    if (id !== undefined) found.push(id);
  }
}

function entryOf<Key, Value>(key: Key | undefined, value: Value): [Key, Value][] {
  return key === undefined ? [] : [[key, value]];
}
