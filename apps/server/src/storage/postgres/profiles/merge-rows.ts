import type { SubjectType } from "@muster/protocol";
import type { MergeCause } from "../../../domain/identity/merge-cause.js";
import type { Identifiers, Profile } from "../../../domain/profiles/profile.js";
import type { Queryable } from "../database.js";
import { readWindow, type Window, type WindowRow } from "../read-window.js";
import { parseProfile, type StoredProfile } from "./stored-profile.js";

/** A subject that was merged into another one, as it was before. */
export interface MergeRow {
  loserId: string;
  identifiers: Identifiers;
  mergedAt: Date;
  /** Null when it was not kept. */
  cause: MergeCause | null;
}

/** The subjects that were merged into one, the latest first. */
export function readMerges(
  database: Queryable,
  organizationId: string,
  survivorId: string,
  window: Window,
): Promise<WindowRow<MergeRow>[]> {
  return readWindow(
    database,
    {
      columns: `loser_id as "loserId", loser_state -> 'i' as identifiers, merged_at as "mergedAt", cause`,
      from: "merges where organization_id = $1 and survivor_id = $2",
      values: [organizationId, survivorId],
      time: "merged_at",
      id: "loser_id",
    },
    window,
  );
}

/** A subject as it was just before it was merged into another one; undefined when it was not merged. */
export async function readMerged(
  database: Queryable,
  subjectType: SubjectType,
  organizationId: string,
  id: string,
): Promise<{ profile: Profile; mergedAt: Date } | undefined> {
  const { rows } = await database.query<{ state: StoredProfile; merged_at: Date }>(
    "select loser_state as state, merged_at from merges where organization_id = $1 and loser_id = $2",
    [organizationId, id],
  );
  const [row] = rows;
  return row && { profile: parseProfile(subjectType, id, row.state), mergedAt: row.merged_at };
}

/** Those of some merges that a record of a connector or a job has caused. */
export async function findMergesCausedBy(
  database: Queryable,
  organizationId: string,
  source: string,
  loserIds: readonly string[],
): Promise<{ loserId: string; survivorId: string }[]> {
  if (loserIds.length === 0) return [];
  const { rows } = await database.query<{ loserId: string; survivorId: string }>(
    `select loser_id as "loserId", survivor_id as "survivorId"
     from merges
     where organization_id = $1 and loser_id = any($2::text[]) and cause ->> 'source' = $3
     order by loser_id`,
    [organizationId, loserIds, source],
  );
  return rows;
}
