import { randomUUID } from "node:crypto";
import type { Role } from "@muster/protocol/api/members";
import type { Invitation } from "../../../domain/members/member.js";
import type { Queryable } from "../database.js";

interface InvitationRow {
  organization_id: string;
  id: string;
  email: string;
  role: Role;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
}

const COLUMNS = "organization_id, id, email, role, invited_by, created_at, expires_at";

export interface NewInvitation {
  email: string;
  role: Role;
  tokenHash: Buffer;
  invitedBy: string;
  lifetimeDays: number;
}

/** Creates an invitation. It takes the place of an earlier one for the same address. */
export async function createInvitation(
  database: Queryable,
  organizationId: string,
  { email, role, tokenHash, invitedBy, lifetimeDays }: NewInvitation,
): Promise<Invitation> {
  const { rows } = await database.query<InvitationRow>(
    `insert into invitations (organization_id, id, email, role, token_hash, invited_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 day')
     on conflict (organization_id, lower(email)) do update
     set id = excluded.id, email = excluded.email, role = excluded.role, token_hash = excluded.token_hash,
         invited_by = excluded.invited_by, created_at = now(), expires_at = excluded.expires_at
     returning ${COLUMNS}`,
    [organizationId, randomUUID(), email, role, tokenHash, invitedBy, lifetimeDays],
  );
  return fromRow(rows[0]!);
}

/** The invitations that can still be accepted, the newest first. */
export async function listInvitations(database: Queryable, organizationId: string): Promise<Invitation[]> {
  const { rows } = await database.query<InvitationRow>(
    `select ${COLUMNS}
     from invitations
     where organization_id = $1 and expires_at > now()
     order by created_at desc, id`,
    [organizationId],
  );
  return rows.map(fromRow);
}

export async function removeInvitation(
  database: Queryable,
  organizationId: string,
  id: string,
): Promise<Invitation | undefined> {
  const { rows } = await database.query<InvitationRow>(
    `delete from invitations where organization_id = $1 and id = $2 returning ${COLUMNS}`,
    [organizationId, id],
  );
  return rows[0] && fromRow(rows[0]);
}

/** The invitation of a token, with the id of its organization. The token names both. */
export async function findInvitation(
  database: Queryable,
  tokenHash: Buffer,
): Promise<{ organizationId: string; invitation: Invitation } | undefined> {
  const { rows } = await database.query<InvitationRow>(
    `select ${COLUMNS} from invitations where token_hash = $1 and expires_at > now()`,
    [tokenHash],
  );
  return rows[0] && { organizationId: rows[0].organization_id, invitation: fromRow(rows[0]) };
}

function fromRow(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
