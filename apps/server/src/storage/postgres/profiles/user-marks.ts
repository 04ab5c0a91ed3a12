import type { UserMarks } from "../../../domain/profiles/user-marks.js";
import type { Queryable, Transaction } from "../database.js";

interface StoredMarks {
  own: UserMarks | undefined;
  /** The marks of users who were merged into this one. */
  former: UserMarks[];
}

export async function readUserMarks(database: Queryable, organizationId: string, userId: string): Promise<StoredMarks> {
  const { rows } = await database.prepared<{ userId: string; marks: UserMarks }>(
    `select user_id as "userId",
            json_build_object('isAdmin', is_admin, 'approved', approved, 'notifications', notifications) as marks
     from user_marks
     where organization_id = $1
       and (user_id = $2
         or user_id in (select loser_id from merges where organization_id = $1 and survivor_id = $2))
     order by user_id`,
    [organizationId, userId],
  );
  return {
    own: rows.find((row) => row.userId === userId)?.marks,
    former: rows.filter((row) => row.userId !== userId).map(({ marks }) => marks),
  };
}

/** Keeps a user from being erased or merged until the transaction ends. Returns false when the user is gone. */
export async function lockUser(tx: Transaction, organizationId: string, userId: string): Promise<boolean> {
  const { rowCount } = await tx.query("select from users where organization_id = $1 and id = $2 for key share", [
    organizationId,
    userId,
  ]);
  return rowCount === 1;
}

/** Stores the marks of a user, instead of those of users who were merged into it. */
export async function saveUserMarks(
  tx: Transaction,
  organizationId: string,
  userId: string,
  { isAdmin, approved, notifications }: UserMarks,
): Promise<void> {
  await tx.query(
    `delete from user_marks
     where organization_id = $1
       and user_id in (select loser_id from merges where organization_id = $1 and survivor_id = $2)`,
    [organizationId, userId],
  );
  await tx.query(
    `insert into user_marks (organization_id, user_id, is_admin, approved, notifications)
     values ($1, $2, $3, $4, $5::text::jsonb)
     on conflict (organization_id, user_id) do update
     set is_admin = excluded.is_admin, approved = excluded.approved, notifications = excluded.notifications`,
    [organizationId, userId, isAdmin, approved, JSON.stringify(notifications)],
  );
}
