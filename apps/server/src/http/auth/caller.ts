import { Refusal, type VerifiedClaims } from "@muster/protocol";
import type { Connector } from "../../domain/connectors/connector.js";
import type { Organization } from "../../domain/organizations/organization.js";
import type { Platform } from "../../domain/platforms/platform.js";

/** Who makes a request, and for which organization. */
export type Caller =
  | { kind: "anonymous"; organization: Organization }
  | { kind: "operator"; organization: Organization }
  /** A connector with its secret, or with a token that has the admin scope: `claims` then says whom it acts for. */
  | { kind: "connector"; organization: Organization; connector: Connector; claims?: VerifiedClaims }
  /** A user or account with a token that a connector has signed. */
  | { kind: "subject"; organization: Organization; connector: Connector; claims: VerifiedClaims }
  /** A browser without a token, on a page of a platform: `claims` holds its own id and nothing else. */
  | { kind: "visitor"; organization: Organization; platform: Platform; claims: VerifiedClaims };

/**
 * Which callers may use a route. Every route declares one.
 * - `open`: everybody; credentials are not read and there is no caller (health, metrics, documents)
 * - `anyone`: everybody; the organization must be known, and credentials that are sent must be right
 * - `subject`: users and accounts with a token, browsers on a platform, connectors, the operator
 * - `connector`: connectors with their secret ("Admin" in the API reference), the operator
 * - `operator`: the operator of this server
 */
export type Access = "open" | "anyone" | "subject" | "connector" | "operator";

export const ACCESSES: readonly Access[] = ["open", "anyone", "subject", "connector", "operator"];

const ALLOWED: Record<Exclude<Access, "open">, readonly Caller["kind"][]> = {
  anyone: ["anonymous", "visitor", "subject", "connector", "operator"],
  subject: ["visitor", "subject", "connector", "operator"],
  connector: ["connector", "operator"],
  operator: ["operator"],
};

const ALLOWED_IN_WORDS: Record<Exclude<Access, "open">, string> = {
  anyone: "anyone",
  subject: "users and accounts with a token",
  connector: "connectors with their secret",
  operator: "the operator of this server",
};

/** Refuses a caller that may not use a route. */
export function checkAccess(access: Exclude<Access, "open">, caller: Caller): void {
  if (ALLOWED[access].includes(caller.kind)) return;
  if (caller.kind === "anonymous") {
    throw new Refusal("unauthorized", "Credentials are missing: send a connector id and its secret, or a token.");
  }
  throw new Refusal("forbidden", `These credentials may not do this: it is for ${ALLOWED_IN_WORDS[access]}.`);
}

/** The calling connector. Refuses the operator and anonymous callers, which have none. */
export function connectorOf(caller: Caller): Connector {
  if (caller.kind === "connector" || caller.kind === "subject") return caller.connector;
  throw new Refusal("bad_request", "This call needs the credentials of a connector: there is no calling app.");
}

/** The id of the connector in whose name the caller writes; empty when the caller is the operator. */
export function connectorIdOf(caller: Caller): string {
  return caller.kind === "operator" ? "" : connectorOf(caller).id;
}

/** The connector whose own things the caller may see; undefined for the operator, who sees those of all. */
export function ownConnectorId(caller: Caller): string | undefined {
  return caller.kind === "operator" ? undefined : connectorOf(caller).id;
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
