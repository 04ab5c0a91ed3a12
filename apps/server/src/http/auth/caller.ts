import { Refusal, type VerifiedClaims } from "@muster/protocol";
import type { Role } from "@muster/protocol/api/members";
import type { Connector } from "../../domain/connectors/connector.js";
import type { Member } from "../../domain/members/member.js";
import type { Organization } from "../../domain/organizations/organization.js";
import type { Platform } from "../../domain/platforms/platform.js";

/** Who makes a request, and for which organization. */
export type Caller =
  | { kind: "anonymous"; organization: Organization }
  | { kind: "operator"; organization: Organization }
  /** A person who is signed in to the dashboard, with the role in the organization at this moment. */
  | { kind: "member"; organization: Organization; member: Member; role: Role }
  /** A connector with its secret, or with a token that has the admin scope: `claims` then says whom it acts for. */
  | { kind: "connector"; organization: Organization; connector: Connector; claims?: VerifiedClaims }
  /**
   * A user or account with a token that a connector has signed. `platformId` is what the request says about the page that
   * it comes from; nobody has checked it.
   */
  | {
      kind: "subject";
      organization: Organization;
      connector: Connector;
      claims: VerifiedClaims;
      platformId?: string;
    }
  /** A browser without a token, on a page of a platform: `claims` holds its own id and nothing else. */
  | { kind: "visitor"; organization: Organization; platform: Platform; claims: VerifiedClaims };

/**
 * Which callers may use a route. Every route declares one. What members may use depends on their role too
 * (check-access.ts).
 * - `open`: everybody; credentials are not read and there is no caller (health, metrics, documents, sign-in)
 * - `member`: members who are signed in, about themselves; there is a person instead of a caller (person.ts)
 * - `writer`: holders of a write key. It may be in the body, so the route itself reads it, and there is no caller
 * - `anyone`: everybody; the organization must be known, and credentials that are sent must be right, except the cookies
 *   of members, which are not read
 * - `subject`: users and accounts with a token, browsers on a platform, connectors, the operator
 * - `connector`: connectors with their secret ("Admin" in the API reference), the operator
 * - `operator`: the operator of this server
 */
export type Access = "open" | "writer" | "member" | "anyone" | "subject" | "connector" | "operator";

export const ACCESSES: readonly Access[] = ["open", "writer", "member", "anyone", "subject", "connector", "operator"];

/** The calling connector. Refuses the operator, members and anonymous callers, which have none. */
export function connectorOf(caller: Caller): Connector {
  if (caller.kind === "connector" || caller.kind === "subject") return caller.connector;
  throw new Refusal("bad_request", "This call needs the credentials of a connector: there is no calling app.");
}

/** The platform whose page makes the call: for a page, that is the calling app. */
export function platformIdOf(caller: Caller): string | undefined {
  if (caller.kind === "visitor") return caller.platform.id;
  return caller.kind === "subject" ? caller.platformId : undefined;
}

/** The id of the connector in whose name the caller writes; empty when the caller is the operator or a member. */
export function connectorIdOf(caller: Caller): string {
  return ownConnectorId(caller) ?? "";
}

/** The connector whose own things the caller may see; undefined for the operator and members, who see those of all. */
export function ownConnectorId(caller: Caller): string | undefined {
  return caller.kind === "operator" || caller.kind === "member" ? undefined : connectorOf(caller).id;
}

/** Whether the caller runs the server: the operator with the admin token, or a member who is one. */
export function isOperator(caller: Caller): boolean {
  return caller.kind === "operator" || (caller.kind === "member" && caller.member.isOperator);
}

/** Whether the caller manages the organization: one of its owners, or somebody who runs the server. */
export function isOwner(caller: Caller): boolean {
  return isOperator(caller) || (caller.kind === "member" && caller.role === "owner");
}

/** The caller in words, for a note about who has changed something. */
export function nameOf(caller: Caller): string {
  if (caller.kind === "member") return `${caller.member.name} <${caller.member.email}>`;
  return caller.kind === "connector" ? `connector ${caller.connector.name}` : caller.kind;
}

/** What the caller's token says about the user or account that the caller acts for, if there is a token. */
export function claimsOf(caller: Caller): VerifiedClaims | undefined {
  return "claims" in caller ? caller.claims : undefined;
}

/** Like `claimsOf`, but refuses a caller without a token. */
export function requireClaims(caller: Caller): VerifiedClaims {
  const claims = claimsOf(caller);
  if (claims) return claims;
  throw new Refusal("bad_request", "This call is about a user or an account: send a token that names one.");
}

/**
 * Whether the caller is an end user: somebody who holds a user's or an account's token without the admin scope. Such
 * tokens are on web pages, where everybody can read them.
 */
export function isEndUser(caller: Caller): boolean {
  return caller.kind === "subject" || caller.kind === "visitor" || caller.kind === "anonymous";
}

/** The caller as somebody who reads a user or an account. */
export function readerOf(caller: Caller): { isEndUser: boolean; anonymousId: string | undefined } {
  return { isEndUser: isEndUser(caller), anonymousId: claimsOf(caller)?.asUser?.anonymous_id };
}
