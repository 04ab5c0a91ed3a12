import type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterGroup,
  FailedCall,
} from "../../../domain/delivery/dead-letter.js";
import type { StoredMessage } from "../../../domain/delivery/message.js";
import { compress, decompress } from "../../logs/compression.js";
import type { Queryable, Transaction } from "../database.js";
import { type Page, readPage } from "../read-page.js";
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

const MATCHES = `organization_id = $1
  and ($2::bigint[] is null or id = any($2::bigint[]))
  and ($3::text is null or connector_id = $3)
  and ($4::text is null or channel = $4)
  and ($5::text is null or object_id = $5)
  and ($6::text is null or strpos(reason, $6) > 0)
  and ($7::text is null or cause = $7)
  and ($8::bigint is null or id <= $8)`;

/** A message that becomes a dead letter. */
export interface NewLetter {
  /** Path of the subscription. */
  url: string;
  channel: string;
  objectId: string;
  message: StoredMessage;
  attempts: number;
}

/** Stores dead letters that have their last call in common. */
export async function saveDeadLetters(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  letters: readonly NewLetter[],
  { request, answer, reason, cause }: Omit<FailedCall, "attempts"> & { cause: string },
): Promise<void> {
  await database.query(
    `insert into dead_letters (
       organization_id, connector_id, url, channel, kind, object_id, message, request, answer, reason, attempts,
       cause
     )
     select $1, $2, url, channel, kind, object_id, message, $9::text::jsonb, $10::text::jsonb, $11, attempts, $12
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::integer[]) with ordinality
       as m (url, channel, kind, object_id, message, attempts, place)
     order by place`,
    [
      organizationId,
      connectorId,
      letters.map(({ url }) => url),
      letters.map(({ channel }) => channel),
      letters.map(({ message }) => message.kind),
      letters.map(({ objectId }) => objectId),
      letters.map(({ message }) => compress(message)),
      letters.map(({ attempts }) => attempts),
      JSON.stringify(request),
      // A jsonb of PostgreSQL cannot contain NUL, but the answer of a broken connector can.
      answer && JSON.stringify(answer).replaceAll("\\u0000", "\\ufffd"),
      replaceNul(reason),
      replaceNul(cause),
    ],
  );
}

export async function listDeadLetters(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
  page: Page,
): Promise<{ total: number; letters: DeadLetter[] }> {
  const { total, rows } = await readPage<DeadLetterRow>(
    database,
    {
      columns: COLUMNS,
      from: `dead_letters where ${MATCHES}`,
      orderBy: "id desc",
      values: valuesOf(organizationId, filter),
    },
    page,
  );
  return { total, letters: rows.map(fromRow) };
}

/** The dead letters that match, by connector and cause, the largest groups first. */
export async function listDeadLetterGroups(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
  { limit, offset }: Page,
): Promise<{ total: number; groups: DeadLetterGroup[] }> {
  const values = valuesOf(organizationId, filter);
  const counted = await database.query<{ total: number }>(
    `select count(distinct (connector_id, cause)) as total from dead_letters where ${MATCHES}`,
    values,
  );
  const { rows } = await database.query<DeadLetterGroup>(
    `select connector_id as "connectorId", cause, count(*) as letters, min(created_at) as "firstAt",
            max(created_at) as "lastAt", max(id) as "newestId"
     from dead_letters
     where ${MATCHES}
     group by connector_id, cause
     order by count(*) desc, max(id) desc
     limit $9 offset $10`,
    [...values, limit, offset],
  );
  return { total: counted.rows[0]!.total, groups: rows };
}

/** How many dead letters match. */
export async function countDeadLetters(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
): Promise<number> {
  const { rows } = await database.query<{ letters: number }>(
    `select count(*) as letters from dead_letters where ${MATCHES}`,
    valuesOf(organizationId, filter),
  );
  return rows[0]!.letters;
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

/** The dead letters with ids in a range, the oldest first. */
export async function readDeadLetters(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
  range: { after: number; upTo: number; limit: number },
): Promise<DeadLetter[]> {
  const { rows } = await database.query<DeadLetterRow>(
    `select ${COLUMNS} from dead_letters where ${MATCHES} and id > $9 and id <= $10 order by id limit $11`,
    [...valuesOf(organizationId, filter), range.after, range.upTo, range.limit],
  );
  return rows.map(fromRow);
}

/** Deletes dead letters and returns them, the oldest first. */
export async function takeDeadLetters(
  tx: Transaction,
  organizationId: string,
  filter: DeadLetterFilter,
): Promise<DeadLetter[]> {
  const { rows } = await tx.query<DeadLetterRow>(
    `with taken as (
       delete from dead_letters where ${MATCHES} returning ${COLUMNS}
     )
     select ${COLUMNS} from taken order by id`,
    valuesOf(organizationId, filter),
  );
  return rows.map(fromRow);
}

/** Deletes dead letters. Returns how many there were. */
export async function discardDeadLetters(
  database: Queryable,
  organizationId: string,
  filter: DeadLetterFilter,
): Promise<number> {
  const { rowCount } = await database.query(
    `delete from dead_letters where ${MATCHES}`,
    valuesOf(organizationId, filter),
  );
  return rowCount ?? 0;
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

function valuesOf(organizationId: string, filter: DeadLetterFilter): unknown[] {
  const { ids, connectorId, channel, objectId, reason, cause, upTo } = filter;
  const given = [ids, connectorId, channel, objectId, reason, cause, upTo];
  return [organizationId, ...given.map((value) => value ?? null)];
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
