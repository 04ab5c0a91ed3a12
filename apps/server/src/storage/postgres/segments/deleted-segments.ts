import type { SubjectType } from "@muster/protocol";
import type { Queryable } from "../database.js";

/** A segment that was deleted, until its members have left. */
export interface DeletedSegment {
  id: string;
  subjectType: SubjectType;
  name: string;
}

export async function listDeletedSegments(database: Queryable, organizationId: string): Promise<DeletedSegment[]> {
  const { rows } = await database.query<{ id: string; subject_type: SubjectType; name: string }>(
    "select id, subject_type, name from deleted_segments where organization_id = $1 order by id",
    [organizationId],
  );
  return rows.map(({ id, subject_type, name }) => ({ id, subjectType: subject_type, name }));
}

export async function forgetDeletedSegment(database: Queryable, organizationId: string, id: string): Promise<void> {
  await database.query("delete from deleted_segments where organization_id = $1 and id = $2", [organizationId, id]);
}
