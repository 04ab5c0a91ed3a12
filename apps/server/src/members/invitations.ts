import { Refusal } from "@muster/protocol";
import type { Role } from "@muster/protocol/api/members";
import type { Invitation, Member } from "../domain/members/member.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { Organization } from "../domain/organizations/organization.js";
import type { Database } from "../storage/postgres/database.js";
import {
  createInvitation,
  findInvitation,
  listInvitations,
  removeInvitation,
} from "../storage/postgres/members/invitations.js";
import {
  createMember,
  findMembersByEmail,
  giveRole,
  listMembers,
  lockAddress,
  lockRoles,
} from "../storage/postgres/members/members.js";
import { findOrganization } from "../storage/postgres/objects/organizations.js";
import type { BackgroundMailer } from "./background-mailer.js";
import { hashPassword, requireGoodPassword } from "./password.js";
import { readEmail } from "./read-email.js";
import { createSecretToken, hashSecretToken } from "./secret-token.js";
import type { Browser, Recognized, Sessions } from "./sessions.js";

const LIFETIME_DAYS = 7;

export interface InvitationsOptions {
  database: Database;
  addresses: Addresses;
  sessions: Sessions;
  mailer: BackgroundMailer | undefined;
}

/** An invitation that was found by its token. */
export interface OpenInvitation {
  invitation: Invitation;
  organization: Organization;
  /**
   * The member whose address it is for certain: the address was proved, or the member runs the server. Only this member
   * can accept.
   */
  holder: Member | undefined;
  /** Members who claim the address. A stranger may have chosen it, so they do not keep others from accepting. */
  claimants: readonly Member[];
}

/** Offers of roles to people who are not members yet. */
export class Invitations {
  readonly #options: InvitationsOptions;

  constructor(options: InvitationsOptions) {
    this.#options = options;
  }

  list(organizationId: string): Promise<Invitation[]> {
    return listInvitations(this.#options.database, organizationId);
  }

  /** Invites the holder of an address. The link is mailed when the server can send mail; it is also returned. */
  async create(
    organization: Organization,
    { email: given, role, invitedBy }: { email: string; role: Role; invitedBy: string },
  ): Promise<{ invitation: Invitation; url: string }> {
    const { database, mailer, addresses } = this.#options;
    const email = readEmail(given);
    const members = await listMembers(database, organization.id);
    if (members.some((member) => member.email.toLowerCase() === email.toLowerCase())) {
      throw new Refusal("conflict", `"${email}" is a member of this organization already.`);
    }
    const { token, hash } = createSecretToken();
    const invitation = await createInvitation(database, organization.id, {
      email,
      role,
      tokenHash: hash,
      invitedBy,
      lifetimeDays: LIFETIME_DAYS,
    });
    const url = `${addresses.publicUrl}/invitations/${token}`;
    mailer?.sendSoon(async () => ({
      to: [email],
      subject: `Invitation to ${organization.name}`,
      text: [
        `${invitedBy} invites you to ${organization.name} as ${role}. Open this link to accept:`,
        url,
        `It works for ${LIFETIME_DAYS} days.`,
      ].join("\n\n"),
    }));
    return { invitation, url };
  }

  remove(organizationId: string, id: string): Promise<Invitation | undefined> {
    return removeInvitation(this.#options.database, organizationId, id);
  }

  /** What a token invites to. */
  async find(token: string): Promise<OpenInvitation> {
    const { database } = this.#options;
    const found = await findInvitation(database, hashSecretToken(token));
    const organization = found && (await findOrganization(database, found.organizationId));
    if (!found || !organization) {
      throw new Refusal("invalid_token", "This invitation was accepted or withdrawn, or its time is over.");
    }
    const members = await findMembersByEmail(database, found.invitation.email);
    const holder = holderAmong(members);
    return { invitation: found.invitation, organization, holder, claimants: holder ? [] : members };
  }

  /**
   * Gives the role to a member who has the address already, unless the member has got a role since, and signs the member
   * in. Returns the token of the session.
   */
  async acceptAs({ invitation, organization }: OpenInvitation, member: Recognized, browser: Browser): Promise<string> {
    const { database, sessions } = this.#options;
    return database.transaction(async (tx) => {
      // In the order of others who give roles. Different orders could deadlock.
      await lockRoles(tx, organization.id);
      // The holder of the address may have come since, and the member is the holder's now.
      if (!(await member.lock(tx))) throw signInFirst(invitation.email);
      const taken = await removeInvitation(tx, organization.id, invitation.id);
      if (!taken) throw acceptedAlready();
      await giveRole(tx, organization.id, member.memberId, taken.role);
      return sessions.open(tx, member.memberId, browser);
    });
  }

  /**
   * Creates the member that was invited, and signs the member in. What other members with the address have stays theirs.
   * Returns the token of the session.
   */
  async acceptAsNew(
    { invitation, organization }: OpenInvitation,
    { name, password }: { name: string; password: string },
    browser: Browser,
  ): Promise<string> {
    requireGoodPassword(password, invitation.email);
    const passwordHash = await hashPassword(password);
    const { database, sessions } = this.#options;
    return database.transaction(async (tx) => {
      await lockAddress(tx, invitation.email);
      // Somebody may have proved the address while the password was hashed.
      if (holderAmong(await findMembersByEmail(tx, invitation.email))) throw signInFirst(invitation.email);
      const taken = await removeInvitation(tx, organization.id, invitation.id);
      if (!taken) throw acceptedAlready();
      const { id } = await createMember(tx, { email: taken.email, name, passwordHash });
      await giveRole(tx, organization.id, id, taken.role);
      return sessions.open(tx, id, browser);
    });
  }
}

/** The refusal of somebody who has not shown to be the member that an address belongs to. */
export function signInFirst(email: string): Refusal {
  return new Refusal("unauthorized", `Sign in as ${email} first, or give the password of this member.`);
}

function acceptedAlready(): Refusal {
  return new Refusal("conflict", "This invitation was accepted already.");
}

function holderAmong(members: readonly Member[]): Member | undefined {
  return members.find(({ isProved, isOperator }) => isProved || isOperator);
}
