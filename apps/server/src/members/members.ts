import { Refusal } from "@muster/protocol";
import type { Role } from "@muster/protocol/api/members";
import type { Member, OrganizationMember } from "../domain/members/member.js";
import type { Database } from "../storage/postgres/database.js";
import {
  findMemberByEmail,
  findPasswordHash,
  listMembers,
  lockRoles,
  removeRole,
  setRole,
  updateMember,
} from "../storage/postgres/members/members.js";
import { lockOpenSession } from "../storage/postgres/members/sessions.js";
import { hashPassword, isPassword, requireGoodPassword } from "./password.js";
import { readEmail } from "./read-email.js";
import type { Sessions } from "./sessions.js";

/** What a member may change about themselves. */
export interface OwnChanges {
  name?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
  /** The password until now. Needed for a new password or address when there is one. */
  currentPassword?: string | undefined;
}

/** The members of organizations. */
export class Members {
  readonly #database: Database;
  readonly #sessions: Sessions;

  constructor(database: Database, sessions: Sessions) {
    this.#database = database;
    this.#sessions = sessions;
  }

  /** The members of an organization, by name. */
  list(organizationId: string): Promise<OrganizationMember[]> {
    return listMembers(this.#database, organizationId);
  }

  async find(organizationId: string, memberId: string): Promise<OrganizationMember | undefined> {
    return (await this.list(organizationId)).find(({ id }) => id === memberId);
  }

  /** Gives a member another role; the next request of the member has it. Returns whether there is such a member. */
  changeRole(organizationId: string, memberId: string, role: Role): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const roles = await lockRoles(tx, organizationId);
      if (!roles.has(memberId)) return false;
      if (role !== "owner") requireAnotherOwner(roles, memberId);
      await setRole(tx, organizationId, memberId, role);
      return true;
    });
  }

  /** Takes a member out of an organization. Returns whether there was such a member. */
  remove(organizationId: string, memberId: string): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const roles = await lockRoles(tx, organizationId);
      if (!roles.has(memberId)) return false;
      requireAnotherOwner(roles, memberId);
      await removeRole(tx, organizationId, memberId);
      return true;
    });
  }

  /** Changes what members decide about themselves. A new password ends all sessions but the one given. */
  async changeSelf(member: Member, sessionId: string, changes: OwnChanges): Promise<Member> {
    const { name, password, currentPassword = "" } = changes;
    const email = changes.email === undefined ? undefined : readEmail(changes.email);
    if (password !== undefined || (email !== undefined && email !== member.email)) {
      const hash = await findPasswordHash(this.#database, member.id);
      if (hash !== undefined && !(await isPassword(currentPassword, hash))) {
        throw new Refusal("forbidden", "The current password is not right.");
      }
    }
    if (password !== undefined) requireGoodPassword(password, email ?? member.email);
    const isMoving = email !== undefined && email.toLowerCase() !== member.email.toLowerCase();
    if (isMoving && (await findMemberByEmail(this.#database, email))) {
      throw new Refusal("conflict", `Another member has the address "${email}".`);
    }
    const passwordHash = password === undefined ? undefined : await hashPassword(password);
    const updated = await this.#database.transaction(async (tx) => {
      // The holder of the address may have come since the request began: what it changes would be the holder's.
      const isOpen = await lockOpenSession(tx, member.id, sessionId);
      return isOpen ? updateMember(tx, member.id, { name, email, passwordHash }) : undefined;
    });
    if (!updated) throw new Refusal("unauthorized", "You are not signed in any more.");
    if (password !== undefined) await this.#sessions.endAll(member, sessionId);
    return updated;
  }
}

function requireAnotherOwner(roles: ReadonlyMap<string, Role>, memberId: string): void {
  const hasAnother = [...roles].some(([id, role]) => role === "owner" && id !== memberId);
  if (roles.get(memberId) === "owner" && !hasAnother) {
    throw new Refusal("conflict", "This is the last owner of the organization. Make somebody else an owner first.");
  }
}
