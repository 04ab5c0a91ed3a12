import type { AuditEntry, AuditFilter, NewAuditEntry } from "../../../domain/members/audit-entry.js";
import type { Queryable } from "../database.js";
import { type Page, readPage } from "../read-page.js";

interface AuditRow {
  id: number;
  happened_at: Date;
  member_id: string | null;
  who: string;
  action: string;
  object_type: string | null;
  object_id: string | null;
  label: string | null;
  before: unknown;
  after: unknown;
  address: string;
}

const COLUMNS = "id, happened_at, member_id, who, action, object_type, object_id, label, before, after, address";

/**
 * Adds an entry. What a receipt of an erasure lists as left names somebody who was erased. Of such an object only the id is
 * kept: the change that removes the name must not bring it into this log.
 */
export async function appendAuditEntry(
  database: Queryable,
  organizationId: string,
  entry: NewAuditEntry,
): Promise<void> {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  await database.query(
    `insert into audit_log
       (organization_id, member_id, who, action, object_type, object_id, label, before, after, address)
     select $1, $2, $3, $4, $5, $6,
            case when not names_erased then $7 end,
            case when not names_erased then $8::text::jsonb end,
            case when not names_erased then $9::text::jsonb end,
            $10
     from (
       select exists (
         select from erasures
         where organization_id = $1 and left_mentions <> '[]'
           and left_mentions @> jsonb_build_array(jsonb_build_object('id', $6::text))
       ) as names_erased
     ) as found`,
    [
      organizationId,
      entry.memberId ?? null,
      entry.who,
      entry.action,
      entry.objectType ?? null,
      entry.objectId ?? null,
      entry.label ?? null,
      json(entry.before),
      json(entry.after),
      entry.address,
    ],
  );
}

/** One page of the audit log of an organization, the newest entry first. */
export async function listAuditEntries(
  database: Queryable,
  organizationId: string,
  { memberId, objectId, from, to }: AuditFilter,
  page: Page,
): Promise<{ total: number; entries: AuditEntry[] }> {
  const { total, rows } = await readPage<AuditRow>(
    database,
    {
      columns: COLUMNS,
      from: `audit_log
        where organization_id = $1
          and ($2::text is null or member_id = $2)
          and ($3::text is null or object_id = $3)
          and ($4::timestamptz is null or happened_at >= $4)
          and ($5::timestamptz is null or happened_at < $5)`,
      orderBy: "id desc",
      values: [organizationId, memberId ?? null, objectId ?? null, from ?? null, to ?? null],
    },
    page,
  );
  return { total, entries: rows.map(fromRow) };
}

function fromRow(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    happenedAt: row.happened_at,
    memberId: row.member_id ?? undefined,
    who: row.who,
    action: row.action,
    objectType: row.object_type ?? undefined,
    objectId: row.object_id ?? undefined,
    label: row.label ?? undefined,
    before: row.before ?? undefined,
    after: row.after ?? undefined,
    address: row.address,
  };
}
