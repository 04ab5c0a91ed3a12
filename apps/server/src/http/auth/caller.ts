import { Refusal, type VerifiedClaims } from "@muster/protocol";
import type { Connector } from "../../domain/connectors/connector.js";
import type { Organization } from "../../domain/organizations/organization.js";

/** Who makes a request, and for which organization. */
export type Caller =
  | { kind: "anonymous"; organization: Organization }
  | { kind: "operator"; organization: Organization }
  /** A connector with its secret, or a token with the admin scope: then `subject` says on whose behalf. */
  | { kind: "connector"; organization: Organization; connector: Connector; subject?: VerifiedClaims }
  /** The holder of a user or account token. */
  | { kind: "subject"; organization: Organization; connector: Connector; subject: VerifiedClaims };

/**
 * Which callers a route is for. Every route declares one.
 * - `open`: credentials are not looked at and there is no caller: health, metrics, documents
 * - `anyone`: the organization is known, the caller may be anonymous
 * - `holder`: whoever holds a user or account token, a connector, the operator
 * - `connector`: a connector with its secret ("Admin" in the API reference), or the operator
 * - `operator`: whoever runs this Muster
 */
export type Access = "open" | "anyone" | "holder" | "connector" | "operator";

export const ACCESSES: readonly Access[] = ["open", "anyone", "holder", "connector", "operator"];

const ALLOWED: Record<Exclude<Access, "open">, readonly Caller["kind"][]> = {
  anyone: ["anonymous", "subject", "connector", "operator"],
  holder: ["subject", "connector", "operator"],
  connector: ["connector", "operator"],
  operator: ["operator"],
};

export function checkAccess(access: Exclude<Access, "open">, caller: Caller): void {
  if (ALLOWED[access].includes(caller.kind)) return;
  if (caller.kind === "anonymous") {
    throw new Refusal("unauthorized", "Credentials are missing: send a connector id and its secret, or a token.");
  }
  throw new Refusal("forbidden", `These credentials may not do this: it is for ${FOR_WHOM[access]}.`);
}

const FOR_WHOM: Record<Exclude<Access, "open">, string> = {
  anyone: "anyone",
  holder: "holders of a token",
  connector: "connectors with their secret",
  operator: "the operator of this server",
};

/** The caller of a route that only connectors make sense on (the operator has no app of its own). */
export function connectorOf(caller: Caller): Connector {
  if (caller.kind === "connector" || caller.kind === "subject") return caller.connector;
  throw new Refusal("bad_request", "This call needs the credentials of a connector: there is no calling app.");
}

/** In whose name a job of the caller writes: its connector's, or nobody's when it is the operator. */
export function jobOwner(caller: Caller): string {
  return caller.kind === "operator" ? "" : connectorOf(caller).id;
}

/** Whom the caller acts for: what its token says. */
export function subjectOf(caller: Caller): VerifiedClaims {
  if ((caller.kind === "connector" || caller.kind === "subject") && caller.subject) return caller.subject;
  throw new Refusal("bad_request", "This call is about a user or an account: send a token that names one.");
}
