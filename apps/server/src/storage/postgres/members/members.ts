import { randomUUID } from "node:crypto";
import type { Role } from "@muster/protocol/api/members";
import type { Member, OrganizationMember } from "../../../domain/members/member.js";
import type { Queryable, Transaction } from "../database.js";

export interface MemberRow {
  id: string;
  email: string;
  name: string;
  has_password: boolean;
  is_operator: boolean;
  is_proved: boolean;
  created_at: Date;
  last_signed_in_at: Date | null;
}

/** The columns of a member, from the table under the name `m`. The hash of the password is never among them. */
export const MEMBER_COLUMNS =
  "m.id, m.email, m.name, m.password_hash is not null as has_password, m.is_operator, m.email_proved_at is not null as is_proved, m.created_at, m.last_signed_in_at";

export interface NewMember {
  email: string;
  name: string;
  passwordHash?: string | undefined;
  isOperator?: boolean;
}

/** Creates a member. Nobody may have proved the e-mail address. */
export async function createMember(
  database: Queryable,
  { email, name, passwordHash, isOperator = false }: NewMember,
): Promise<Member> {
  const { rows } = await database.query<MemberRow>(
    `insert into members as m (id, email, name, password_hash, is_operator)
     values ($1, $2, $3, $4, $5)
     returning ${MEMBER_COLUMNS}`,
    [randomUUID(), email, name, passwordHash ?? null, isOperator],
  );
  return memberFromRow(rows[0]!);
}

export async function findMember(database: Queryable, id: string): Promise<Member | undefined> {
  const { rows } = await database.query<MemberRow>(`select ${MEMBER_COLUMNS} from members m where id = $1`, [id]);
  return rows[0] && memberFromRow(rows[0]);
}

/**
 * The members with an address: the one who has proved it, or else all who claim it, operators and the oldest first. Each
 * organization can add one, so there are at most as many as organizations.
 */
export async function findMembersByEmail(database: Queryable, email: string): Promise<Member[]> {
  const { rows } = await database.query<MemberRow>(
    `select ${MEMBER_COLUMNS}
     from members m
     where lower(email) = lower($1)
     order by email_proved_at is null, is_operator desc, created_at, id`,
    [email],
  );
  return rows.map(memberFromRow);
}

/** The first of the members with an address. */
export async function findMemberByEmail(database: Queryable, email: string): Promise<Member | undefined> {
  return (await findMembersByEmail(database, email))[0];
}

/** The member who was the first to run the server. */
export async function findFirstOperator(database: Queryable): Promise<Member | undefined> {
  const { rows } = await database.query<MemberRow>(
    `select ${MEMBER_COLUMNS} from members m where is_operator order by created_at limit 1`,
  );
  return rows[0] && memberFromRow(rows[0]);
}

export async function findPasswordHash(database: Queryable, memberId: string): Promise<string | undefined> {
  const { rows } = await database.query<{ password_hash: string | null }>(
    "select password_hash from members where id = $1",
    [memberId],
  );
  return rows[0]?.password_hash ?? undefined;
}

/**
 * Whether a member has this hash of a password. Locks the member, as those do first who take a password away: either they see
 * what the password has opened, or it opens nothing.
 */
export async function lockPassword(tx: Transaction, memberId: string, hash: string): Promise<boolean> {
  const { rowCount } = await tx.query("select from members where id = $1 and password_hash = $2 for update", [
    memberId,
    hash,
  ]);
  return rowCount === 1;
}

/** Waits for others who find out whose an address is, or join its claimants, and lets them wait until the transaction ends. */
export async function lockAddress(tx: Transaction, email: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended(lower($1), 0))", [email]);
}

export interface MemberChanges {
  email?: string | undefined;
  name?: string | undefined;
  passwordHash?: string | undefined;
}

export async function updateMember(
  database: Queryable,
  id: string,
  { email, name, passwordHash }: MemberChanges,
): Promise<Member | undefined> {
  const { rows } = await database.query<MemberRow>(
    `update members as m
     set email = coalesce($2, email), name = coalesce($3, name), password_hash = coalesce($4, password_hash),
         email_proved_at = case when lower(coalesce($2, email)) = lower(email) then email_proved_at end
     where id = $1
     returning ${MEMBER_COLUMNS}`,
    [id, email ?? null, name ?? null, passwordHash ?? null],
  );
  return rows[0] && memberFromRow(rows[0]);
}

export async function noteSignIn(tx: Transaction, id: string): Promise<void> {
  await tx.query("update members set last_signed_in_at = now() where id = $1", [id]);
}

/**
 * Notes that an address belongs to the member, unless the member has another address. Until now a stranger may have chosen
 * the password and signed in, so the password and the sessions are removed. The roles that organizations gave to other members
 * with the address become the member's, because they were meant for the holder of the address.
 */
export async function proveEmail(tx: Transaction, id: string, email: string): Promise<void> {
  await lockAddress(tx, email);
  const { rowCount } = await tx.query(
    `update members
     set email_proved_at = now(), password_hash = null
     where id = $1 and lower(email) = lower($2) and email_proved_at is null`,
    [id, email],
  );
  if (rowCount !== 1) return;
  await tx.query("delete from member_sessions where member_id = $1", [id]);
  await tx.query(
    `insert into member_roles (organization_id, member_id, role)
     select r.organization_id, proved.id, r.role
     from members proved
     join members other on lower(other.email) = lower(proved.email) and other.id <> proved.id
     join member_roles r on r.member_id = other.id
     where proved.id = $1 and not other.is_operator
     on conflict (organization_id, member_id) do nothing`,
    [id],
  );
  await tx.query(
    `delete from members other
     using members proved
     where proved.id = $1 and lower(other.email) = lower(proved.email) and other.id <> proved.id
       and not other.is_operator`,
    [id],
  );
}

/**
 * Removes the password and the sessions of a member who has no role in an organization and whose address was never
 * proved: a stranger may have taken the address, and must not get the rights that its holder is about to get there.
 */
export async function forgetUnproved(tx: Transaction, organizationId: string, id: string): Promise<void> {
  const { rowCount } = await tx.query(
    `update members
     set password_hash = null
     where id = $2 and email_proved_at is null and not is_operator
       and not exists (select from member_roles where organization_id = $1 and member_id = $2)`,
    [organizationId, id],
  );
  if (rowCount === 1) await tx.query("delete from member_sessions where member_id = $1", [id]);
}

/** The members of an organization, by name. */
export async function listMembers(database: Queryable, organizationId: string): Promise<OrganizationMember[]> {
  const { rows } = await database.query<MemberRow & { role: Role }>(
    `select ${MEMBER_COLUMNS}, r.role
     from member_roles r
     join members m on m.id = r.member_id
     where r.organization_id = $1
     order by lower(m.name), m.id`,
    [organizationId],
  );
  return rows.map((row) => ({ ...memberFromRow(row), role: row.role }));
}

/** More would be a list of people who do not read them. */
const MAX_MAILED_OWNERS = 20;

/** The addresses of the owners of an organization, as far as they have proved that the addresses are theirs. */
export async function listOwnerEmails(database: Queryable, organizationId: string): Promise<string[]> {
  const { rows } = await database.query<{ email: string }>(
    `select lower(m.email) as email
     from member_roles r
     join members m on m.id = r.member_id
     where r.organization_id = $1 and r.role = 'owner' and m.email_proved_at is not null
     order by m.created_at, m.id
     limit $2`,
    [organizationId, MAX_MAILED_OWNERS],
  );
  return rows.map(({ email }) => email);
}

/** Locks the roles of an organization, so that two changes at once cannot remove its last two owners. */
export async function lockRoles(tx: Transaction, organizationId: string): Promise<Map<string, Role>> {
  await tx.query("select from organizations where id = $1 for update", [organizationId]);
  const { rows } = await tx.query<{ member_id: string; role: Role }>(
    "select member_id, role from member_roles where organization_id = $1",
    [organizationId],
  );
  return new Map(rows.map(({ member_id, role }) => [member_id, role]));
}

/** Gives a role to a member who has none in the organization. A member keeps the role that it has. */
export async function giveRole(
  database: Queryable,
  organizationId: string,
  memberId: string,
  role: Role,
): Promise<void> {
  await database.query(
    `insert into member_roles (organization_id, member_id, role)
     values ($1, $2, $3)
     on conflict (organization_id, member_id) do nothing`,
    [organizationId, memberId, role],
  );
}

/** Gives a member a role in an organization, in place of the one that the member had. */
export async function setRole(
  database: Queryable,
  organizationId: string,
  memberId: string,
  role: Role,
): Promise<void> {
  await database.query(
    `insert into member_roles (organization_id, member_id, role)
     values ($1, $2, $3)
     on conflict (organization_id, member_id) do update set role = excluded.role`,
    [organizationId, memberId, role],
  );
}

/** Takes a member out of an organization. A member without any organization is removed, with all sessions. */
export async function removeRole(tx: Transaction, organizationId: string, memberId: string): Promise<void> {
  await tx.query("delete from member_roles where organization_id = $1 and member_id = $2", [organizationId, memberId]);
  await tx.query(
    `delete from members
     where id = $1 and not is_operator
       and not exists (select from member_roles where member_id = $1)`,
    [memberId],
  );
}

/** Removes the members who have a role in this organization and in no other one, with their sessions. */
export async function removeMembersOf(tx: Transaction, organizationId: string): Promise<number> {
  // A concurrent transaction that gives them a role in another organization waits for this lock.
  const { rows } = await tx.query<{ id: string }>(
    `select m.id
     from member_roles r
     join members m on m.id = r.member_id
     where r.organization_id = $1 and not m.is_operator
     order by m.id
     for update of m`,
    [organizationId],
  );
  const { rowCount } = await tx.query(
    `delete from members m
     where m.id = any($2::text[])
       and not exists (select from member_roles r where r.member_id = m.id and r.organization_id <> $1)`,
    [organizationId, rows.map(({ id }) => id)],
  );
  return rowCount ?? 0;
}

export function memberFromRow(row: MemberRow): Member {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    hasPassword: row.has_password,
    isOperator: row.is_operator,
    isProved: row.is_proved,
    createdAt: row.created_at,
    lastSignedInAt: row.last_signed_in_at ?? undefined,
  };
}
