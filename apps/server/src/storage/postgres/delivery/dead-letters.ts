import type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterGroup,
  FailedCall,
} from "../../../domain/delivery/dead-letter.js";
import type { StoredMessage } from "../../../domain/delivery/message.js";
import { compress, decompress } from "../../logs/compression.js";
import type { Queryable, Transaction } from "../database.js";
import type { Page } from "../read-page.js";
import { replaceNul } from "../replace-nul.js";

interface DeadLetterRow {
  id: number;
  connector_id: string;
  url: string;
  channel: string;
  object_id: string;
  message: Buffer;
  request: FailedCall["request"];
  answer: FailedCall["answer"];
  reason: string;
  attempts: number;
  created_at: Date;
  cause: string;
  edited_by: string | null;
  edited_at: Date | null;
}

const COLUMNS = `id, connector_id, url, channel, object_id, message, request, answer, reason, attempts, created_at,
  cause, edited_by, edited_at`;

/** Counts and groups beyond those that are kept look at so many letters at most. */
const MOST_COUNTED = 100_000;
/** More are not counted for somebody who waits until none is left. */
const MOST_LEFT = 10_000;

/** A message that becomes a dead letter. */
export interface NewLetter {
  /** Path of the subscription. */
  url: string;
  channel: string;
  objectId: string;
  message: StoredMessage;
  attempts: number;
  /** The last call. Letters that have it in common share the object. */
  call: Omit<FailedCall, "attempts"> & { cause: string };
}

/** Stores dead letters. */
export async function saveDeadLetters(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  letters: readonly NewLetter[],
): Promise<void> {
  const calls = [...new Set(letters.map(({ call }) => call))];
  const numbers = new Map(calls.map((call, index) => [call, index + 1]));
  await database.query(
    `insert into dead_letters (
       organization_id, connector_id, url, channel, kind, object_id, message, request, answer, reason, attempts,
       cause
     )
     select $1, $2, m.url, m.channel, m.kind, m.object_id, m.message, c.request::jsonb, c.answer::jsonb, c.reason,
            m.attempts, c.cause
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::integer[], $9::integer[])
       with ordinality as m (url, channel, kind, object_id, message, attempts, call, place)
     join unnest($10::text[], $11::text[], $12::text[], $13::text[]) with ordinality
       as c (request, answer, reason, cause, number) on c.number = m.call
     order by m.place`,
    [
      organizationId,
      connectorId,
      letters.map(({ url }) => url),
      letters.map(({ channel }) => channel),
      letters.map(({ message }) => message.kind),
      letters.map(({ objectId }) => objectId),
      letters.map(({ message }) => compress(message)),
      letters.map(({ attempts }) => attempts),
      letters.map(({ call }) => numbers.get(call)),
      calls.map(({ request }) => JSON.stringify(request)),
      // A jsonb of PostgreSQL cannot contain NUL, but the answer of a broken connector can.
      calls.map(({ answer }) => answer && JSON.stringify(answer).replaceAll("\\u0000", "\\ufffd")),
      calls.map(({ reason }) => replaceNul(reason)),
      calls.map(({ cause }) => replaceNul(cause)),
    ],
  );
}

/** The dead letters that match, the latest first. The total is `MOST_COUNTED` at most when it has to be counted. */
export async function listDeadLetters(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
  { limit, offset }: Page,
): Promise<{ total: number; letters: DeadLetter[] }> {
  const { where, values, next } = matching(organizationId, filter);
  const { rows } = await database.query<DeadLetterRow>(
    `select ${COLUMNS} from dead_letters where ${where} order by id desc limit $${next} offset $${next + 1}`,
    [...values, limit, offset],
  );
  const total = isGroup(filter)
    ? await readTotal(database, organizationId, filter)
    : await countMatching(database, organizationId, filter, MOST_COUNTED);
  return { total, letters: rows.map(fromRow) };
}

/** The dead letter with an id, if it matches. */
export async function findDeadLetter(
  database: Queryable,
  organizationId: string,
  id: number,
  filter: DeadLetterFilter,
): Promise<DeadLetter | undefined> {
  const { where, values } = matching(organizationId, { ...filter, ids: [id] });
  const { rows } = await database.query<DeadLetterRow>(`select ${COLUMNS} from dead_letters where ${where}`, values);
  return rows[0] && fromRow(rows[0]);
}

/** The dead letters that match, by connector and cause, the largest groups first. */
export async function listDeadLetterGroups(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
  { limit, offset }: Page,
): Promise<{ total: number; groups: DeadLetterGroup[] }> {
  const { from, values, next } = isGroup(filter)
    ? keptGroups(organizationId, filter)
    : countedGroups(organizationId, filter);
  const { rows } = await database.query<DeadLetterGroup & { total: number }>(
    `select *, count(*) over () as total
     from (${from}) g
     order by letters desc, "newestId" desc
     limit $${next} offset $${next + 1}`,
    [...values, limit, offset],
  );
  // A page after the last one has no row that says how many there are.
  const beyond = offset > 0 && rows.length === 0;
  const total = beyond ? await countGroups(database, from, values) : (rows[0]?.total ?? 0);
  return { total, groups: rows.map(({ total: _, ...group }) => group) };
}

async function countGroups(database: Queryable, from: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await database.query<{ total: number }>(`select count(*) as total from (${from}) g`, [...values]);
  return rows[0]!.total;
}

/** Groups by the counts that are kept: the first and the last letter of each are looked up in the index. */
function keptGroups(organizationId: string, filter: DeadLetterFilter) {
  const { where, values, next } = matching(organizationId, filter);
  const end = (order: string) => `(
    select id, created_at
    from dead_letters l
    where l.organization_id = c.organization_id and l.connector_id = c.connector_id and l.cause = c.cause
    order by id ${order}
    limit 1
  )`;
  const from = `
    select c.connector_id as "connectorId", c.cause, c.letters, oldest.created_at as "firstAt",
           newest.created_at as "lastAt", newest.id as "newestId"
    from (select * from dead_letter_counts where ${where} and letters > 0) c
    cross join lateral ${end("asc")} oldest
    cross join lateral ${end("desc")} newest`;
  return { from, values, next };
}

/** Groups of the newest letters that match. */
function countedGroups(organizationId: string, filter: DeadLetterFilter) {
  const { where, values, next } = matching(organizationId, filter);
  const from = `
    select connector_id as "connectorId", cause, count(*) as letters, min(created_at) as "firstAt",
           max(created_at) as "lastAt", max(id) as "newestId"
    from (
      select id, connector_id, cause, created_at
      from dead_letters
      where ${where}
      order by id desc
      limit ${MOST_COUNTED}
    ) newest
    group by connector_id, cause`;
  return { from, values, next };
}

/** How many dead letters match, `MOST_LEFT` at most. */
export function countLeft(database: Queryable, organizationId: string, filter: DeadLetterFilter): Promise<number> {
  return countMatching(database, organizationId, filter, MOST_LEFT);
}

async function countMatching(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
  most: number,
): Promise<number> {
  const { where, values, next } = matching(organizationId, filter);
  const { rows } = await database.query<{ letters: number }>(
    `select count(*) as letters from (select from dead_letters where ${where} limit $${next}) counted`,
    [...values, most],
  );
  return rows[0]!.letters;
}

async function readTotal(database: Queryable, organizationId: string, filter: DeadLetterFilter): Promise<number> {
  const { where, values } = matching(organizationId, filter);
  const { rows } = await database.query<{ letters: string }>(
    `select coalesce(sum(letters), 0) as letters from dead_letter_counts where ${where}`,
    values,
  );
  return Number(rows[0]!.letters);
}

/** Replaces the message of a dead letter. False when the letter is gone, or has another message by now. */
export async function editDeadLetter(
  database: Queryable,
  organizationId: string,
  id: number,
  { before, after, by }: { before: StoredMessage; after: StoredMessage; by: string },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `update dead_letters
     set message = $3, edited_by = $5, edited_at = now()
     where organization_id = $1 and id = $2 and message = $4`,
    [organizationId, id, compress(after), compress(before), by],
  );
  return rowCount === 1;
}

/** The id of the newest dead letter; 0 when there is none. */
export async function newestDeadLetter(database: Queryable, organizationId: string): Promise<number> {
  const { rows } = await database.query<{ id: number | null }>(
    "select max(id) as id from dead_letters where organization_id = $1",
    [organizationId],
  );
  return rows[0]?.id ?? 0;
}

/** A range of ids, and how many letters of it are wanted. */
export interface LetterRange {
  after: number;
  upTo: number;
  limit: number;
}

// So many bytes of compressed messages are read and queued in one transaction, or one message that is larger.
const BYTES_PER_PAGE = 1024 * 1024;

/** The ids of the next dead letters in a range, the oldest first: those that fit into a page. */
export async function nextDeadLetters(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
  { after, upTo, limit }: LetterRange,
): Promise<number[]> {
  const { where, values, next } = matching(organizationId, filter);
  const { rows } = await database.query<{ id: number; bytes: number }>(
    `select id, octet_length(message) as bytes
     from dead_letters
     where ${where} and id > $${next} and id <= $${next + 1}
     order by id
     limit $${next + 2}`,
    [...values, after, upTo, limit],
  );
  let bytes = 0;
  const large = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > BYTES_PER_PAGE;
  });
  return rows.slice(0, large === -1 ? rows.length : large).map(({ id }) => id);
}

/** Deletes dead letters and returns them, the oldest first. */
export async function takeDeadLetters(
  tx: Transaction,
  organizationId: string,
  ids: readonly number[],
): Promise<DeadLetter[]> {
  const { rows } = await tx.query<DeadLetterRow>(
    `with taken as (
       delete from dead_letters where organization_id = $1 and id = any($2::bigint[]) returning ${COLUMNS}
     )
     select ${COLUMNS} from taken order by id`,
    [organizationId, ids],
  );
  return rows.map(fromRow);
}

/** Deletes the next dead letters in a range. Returns the last of them, and how many there were. */
export async function discardDeadLetters(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
  { after, upTo, limit }: LetterRange,
): Promise<{ last: number | undefined; discarded: number }> {
  const { where, values, next } = matching(organizationId, filter);
  const { rows } = await database.query<{ last: number | null; discarded: number }>(
    `with gone as (
       delete from dead_letters
       where organization_id = $1
         and id in (
           select id
           from dead_letters
           where ${where} and id > $${next} and id <= $${next + 1}
           order by id
           limit $${next + 2}
         )
       returning id
     )
     select max(id) as last, count(*) as discarded from gone`,
    [...values, after, upTo, limit],
  );
  return { last: rows[0]!.last ?? undefined, discarded: rows[0]!.discarded };
}

/** Deletes the dead letters about erased users and accounts. Returns whom each was about. */
export async function eraseDeadLetters(
  database: Queryable,
  organizationId: string,
  objectIds: readonly string[],
): Promise<string[]> {
  const { rows } = await database.query<{ object_id: string }>(
    "delete from dead_letters where organization_id = $1 and object_id = any($2::text[]) returning object_id",
    [organizationId, objectIds],
  );
  return rows.map(({ object_id }) => object_id);
}

/**
 * The condition of a filter, the values of its placeholders and the number of the next placeholder. Only what is given is
 * in the condition: a condition for everything that may be given makes PostgreSQL read the whole table.
 */
function matching(
  organizationId: string,
  { ids, connectorId, channel, objectId, reason, cause, upTo }: DeadLetterFilter,
): { where: string; values: unknown[]; next: number } {
  const conditions: [string, unknown][] = [
    ["organization_id = ?", organizationId],
    ["id = any(?::bigint[])", ids],
    ["connector_id = ?", connectorId],
    ["channel = ?", channel],
    ["object_id = ?", objectId],
    ["strpos(reason, ?) > 0", reason],
    ["cause = ?", cause],
    ["id <= ?", upTo],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    where: given.map(([condition], index) => condition.replace("?", `$${index + 1}`)).join(" and "),
    values: given.map(([, value]) => value),
    next: given.length + 1,
  };
}

/** Whether a filter is for all letters, those of a connector or those of a cause, which are counted when they change. */
function isGroup({ ids, channel, objectId, reason, upTo }: DeadLetterFilter): boolean {
  return [ids, channel, objectId, reason, upTo].every((value) => value === undefined);
}

function fromRow(row: DeadLetterRow): DeadLetter {
  return {
    id: row.id,
    connectorId: row.connector_id,
    url: row.url,
    channel: row.channel,
    objectId: row.object_id,
    createdAt: row.created_at,
    request: row.request,
    answer: row.answer,
    reason: row.reason,
    attempts: row.attempts,
    message: decompress<StoredMessage>(row.message),
    cause: row.cause,
    edit: row.edited_by === null || row.edited_at === null ? null : { by: row.edited_by, at: row.edited_at },
  };
}
