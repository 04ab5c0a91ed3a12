import type { Role } from "@muster/protocol/api/members";

/** A person who signs in to the dashboard. */
export interface Member {
  id: string;
  email: string;
  name: string;
  hasPassword: boolean;
  /** Such a member runs the server and acts as owner of every organization. */
  isOperator: boolean;
  /** Whether a link that was mailed to the address was used, so that the address is the member's for certain. */
  isProved: boolean;
  createdAt: Date;
  lastSignedInAt: Date | undefined;
}

/** A member of one organization. */
export interface OrganizationMember extends Member {
  role: Role;
}

/** A browser in which a member has signed in. */
export interface Session {
  id: string;
  userAgent: string;
  address: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

/** A session with its member, and the roles of the member by the id of the organization. */
export interface OpenSession {
  member: Member;
  session: Session;
  roles: Readonly<Record<string, Role>>;
}

/** An offer of a role to the holder of an e-mail address. */
export interface Invitation {
  id: string;
  email: string;
  role: Role;
  /** The name of the member who made it, or "The operator". */
  invitedBy: string;
  createdAt: Date;
  expiresAt: Date;
}
