import { randomUUID } from "node:crypto";
import type { Role } from "@muster/protocol/api/members";
import type { OpenSession, Session } from "../../../domain/members/member.js";
import type { Queryable, Transaction } from "../database.js";
import { MEMBER_COLUMNS, type MemberRow, memberFromRow } from "./members.js";

interface SessionRow {
  session_id: string;
  user_agent: string;
  address: string;
  session_created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

const SESSION_COLUMNS =
  "s.id as session_id, s.user_agent, s.address, s.created_at as session_created_at, s.last_seen_at, s.expires_at";

export interface NewSession {
  memberId: string;
  tokenHash: Buffer;
  userAgent: string;
  address: string;
  lifetimeDays: number;
}

/** Creates a session, and removes those that have ended by themselves. */
export async function createSession(
  tx: Transaction,
  { memberId, tokenHash, userAgent, address, lifetimeDays }: NewSession,
): Promise<void> {
  await tx.query(
    `delete from member_sessions
     where id in (select id from member_sessions where expires_at < now() for update skip locked)`,
  );
  await tx.query(
    `insert into member_sessions (id, member_id, token_hash, user_agent, address, expires_at)
     values ($1, $2, $3, $4, $5, now() + $6 * interval '1 day')`,
    [randomUUID(), memberId, tokenHash, userAgent, address, lifetimeDays],
  );
}

export async function findSession(database: Queryable, tokenHash: Buffer): Promise<OpenSession | undefined> {
  const { rows } = await database.query<MemberRow & SessionRow & { roles: Record<string, Role> | null }>(
    `select ${MEMBER_COLUMNS}, ${SESSION_COLUMNS},
       (select jsonb_object_agg(organization_id, role) from member_roles where member_id = m.id) as roles
     from member_sessions s
     join members m on m.id = s.member_id
     where s.token_hash = $1 and s.expires_at > now()`,
    [tokenHash],
  );
  const [row] = rows;
  return row && { member: memberFromRow(row), session: sessionFromRow(row), roles: row.roles ?? {} };
}

/**
 * Whether a session of a member is still open. Locks the member, as those do first who take an address or a password away
 * from whoever holds it: either they see what the session changes, or the session is over.
 */
export async function lockOpenSession(tx: Transaction, memberId: string, id: string): Promise<boolean> {
  await tx.query("select from members where id = $1 for update", [memberId]);
  // A statement of its own sees what was committed while the one before it waited.
  const { rowCount } = await tx.query(
    "select from member_sessions where id = $1 and member_id = $2 and expires_at > now()",
    [id, memberId],
  );
  return rowCount === 1;
}

/** Notes that a session was used, and lets it live on from now. */
export async function touchSession(database: Queryable, id: string, lifetimeDays: number): Promise<void> {
  await database.query(
    `update member_sessions
     set last_seen_at = now(), expires_at = now() + $2 * interval '1 day'
     where id = $1`,
    [id, lifetimeDays],
  );
}

/** The sessions of a member, the one that was used last first. */
export async function listSessions(database: Queryable, memberId: string): Promise<Session[]> {
  const { rows } = await database.query<SessionRow>(
    `select ${SESSION_COLUMNS}
     from member_sessions s
     where member_id = $1 and expires_at > now()
     order by last_seen_at desc, id`,
    [memberId],
  );
  return rows.map(sessionFromRow);
}

export async function removeSession(database: Queryable, memberId: string, id: string): Promise<boolean> {
  const { rowCount } = await database.query("delete from member_sessions where member_id = $1 and id = $2", [
    memberId,
    id,
  ]);
  return rowCount === 1;
}

/** Removes the sessions of a member, all or all but one. Returns how many. */
export async function removeSessions(database: Queryable, memberId: string, exceptId?: string): Promise<number> {
  const { rowCount } = await database.query(
    "delete from member_sessions where member_id = $1 and id is distinct from $2",
    [memberId, exceptId ?? null],
  );
  return rowCount ?? 0;
}

function sessionFromRow(row: SessionRow): Session {
  return {
    id: row.session_id,
    userAgent: row.user_agent,
    address: row.address,
    createdAt: row.session_created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  };
}
