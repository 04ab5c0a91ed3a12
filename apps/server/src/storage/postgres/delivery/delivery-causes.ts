import type { Queryable } from "../database.js";
import { replaceNul } from "../replace-nul.js";

/** Why calls failed, and how many messages they had. */
export interface FailureCause {
  cause: string;
  /** The HTTP status of the answer; 0 when there was none. */
  status: number;
  calls: number;
  messages: number;
}

/** More causes of one connector within an hour are counted together: the texts come from the connector. */
const MOST_CAUSES = 100;
export const OTHER_CAUSES = "Other causes.";

/** Counts a cause in this hour. */
export async function countCause(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { cause, status, calls, messages }: FailureCause,
): Promise<void> {
  await database.query(
    `with known as (
       select count(*) as causes, coalesce(bool_or(cause = $3), false) as is_known
       from delivery_causes
       where organization_id = $1 and connector_id = $2 and hour = date_trunc('hour', now())
     )
     insert into delivery_causes as d (organization_id, connector_id, hour, cause, status, calls, messages, last_at)
     select $1, c.id, date_trunc('hour', now()),
            case when known.is_known or known.causes < ${MOST_CAUSES} then $3 else '${OTHER_CAUSES}' end, $4, $5, $6, now()
     from known, connectors c
     where c.organization_id = $1 and c.id = $2
     on conflict (organization_id, connector_id, hour, cause) do update
     set status = excluded.status,
         calls = d.calls + excluded.calls,
         messages = d.messages + excluded.messages,
         last_at = excluded.last_at`,
    [organizationId, connectorId, replaceNul(cause), status, calls, messages],
  );
}

interface CauseRow {
  cause: string;
  status: number;
  calls: string;
  messages: string;
  last_at: Date;
}

/** The causes of a connector since a time, those that happened last first. */
export async function listCauses(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  since: Date,
): Promise<(FailureCause & { lastAt: Date })[]> {
  const { rows } = await database.query<CauseRow>(
    `select cause, max(status) as status, sum(calls) as calls, sum(messages) as messages, max(last_at) as last_at
     from delivery_causes
     where organization_id = $1 and connector_id = $2 and hour >= date_trunc('hour', $3::timestamptz)
     group by cause
     order by max(last_at) desc
     limit ${MOST_CAUSES}`,
    [organizationId, connectorId, since],
  );
  return rows.map(({ last_at, calls, messages, ...row }) => ({
    ...row,
    calls: Number(calls),
    messages: Number(messages),
    lastAt: last_at,
  }));
}
