import type { LanePositions } from "../../../domain/entries/lanes.js";
import type { Queryable } from "../database.js";
import type { NotifyCursor } from "../delivery/outbox.js";
import type { GenerationCursor } from "./changes.js";

/** What a step of the relay must know of its organization before it begins. */
export interface RelayBasis {
  /** The organization is being deleted. */
  isDeleted: boolean;
  /** Undefined before the first step. */
  cursor: GenerationCursor | undefined;
  /** Which changes connectors are notified of. */
  notified: NotifyCursor;
}

/** Reads it in one statement, because every step needs it. Undefined for an organization that does not exist. */
export async function readRelayBasis(database: Queryable, organizationId: string): Promise<RelayBasis | undefined> {
  const { rows } = await database.query<{
    is_deleted: boolean;
    sequence: number | null;
    positions: LanePositions;
    generation: string;
    computed_until: number;
    notified: number | null;
    ahead: string[] | null;
  }>(
    `select o.deleted_at is not null as is_deleted, p.sequence, p.positions, p.generation, p.computed_until, n.sequence as notified,
       n.ahead
     from organizations o
     left join project_cursors p on p.organization_id = o.id
     left join notify_cursors n on n.organization_id = o.id
     where o.id = $1`,
    [organizationId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { sequence, positions, generation, computed_until: computedUntil } = row;
  return {
    isDeleted: row.is_deleted,
    cursor: sequence === null ? undefined : { sequence, positions, generation, computedUntil },
    notified: { sequence: row.notified ?? 0, ahead: row.ahead?.map(Number) ?? [] },
  };
}
