import type { Queryable } from "../database.js";

/** What a micro-batch must know of its organization before it begins. */
export interface ApplyBasis {
  /** The organization is being deleted. */
  isDeleted: boolean;
  revisions: { attributes: string; events: string; eventPlans: string; computed: string | null };
  /** The latest time of an erasure, in milliseconds. Null when nobody was erased. */
  lastErasure: number | null;
  /** Emails that visitors type, and ids in links, identify visitors. */
  joinsByHints: boolean;
  /** Users of merged, erased and split accounts are still to follow them. */
  hasRelinks: boolean;
}

/** Reads it in one statement, because every micro-batch needs it. Undefined for an organization that does not exist. */
export async function readApplyBasis(tx: Queryable, organizationId: string): Promise<ApplyBasis | undefined> {
  const { rows } = await tx.query<{
    is_deleted: boolean;
    attributes_revision: string;
    events_revision: string;
    event_plans_revision: string;
    computed_revision: string | null;
    last_erasure: number | null;
    join_by_hints: boolean;
    has_relinks: boolean;
  }>(
    `select deleted_at is not null as is_deleted, attributes_revision, events_revision, event_plans_revision,
       computed_revision, join_by_hints,
       (
         select max(greatest(recorded_at, received_at)) from erased_identifiers where organization_id = $1
       ) as last_erasure,
       exists (select from account_relinks where organization_id = $1)
         or exists (select from account_returns where organization_id = $1) as has_relinks
     from organizations
     where id = $1`,
    [organizationId],
  );
  const [row] = rows;
  return (
    row && {
      isDeleted: row.is_deleted,
      revisions: {
        attributes: row.attributes_revision,
        events: row.events_revision,
        eventPlans: row.event_plans_revision,
        computed: row.computed_revision,
      },
      lastErasure: row.last_erasure,
      joinsByHints: row.join_by_hints,
      hasRelinks: row.has_relinks,
    }
  );
}
