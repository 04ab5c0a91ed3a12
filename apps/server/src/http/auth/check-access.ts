import { Refusal } from "@muster/protocol";
import type { Role } from "@muster/protocol/api/members";
import { includesRole } from "../../domain/members/role.js";
import type { Access, Caller } from "./caller.js";

/** What a route declares about who may use it. */
export interface RouteAccess {
  method: string;
  access: Exclude<Access, "open" | "writer" | "member">;
  reads?: boolean | undefined;
  serverWide?: boolean | undefined;
}

const ALLOWED: Record<RouteAccess["access"], readonly Caller["kind"][]> = {
  anyone: ["anonymous", "visitor", "subject", "connector", "operator", "member"],
  subject: ["visitor", "subject", "connector", "operator", "member"],
  connector: ["connector", "operator", "member"],
  operator: ["operator", "member"],
};

const ALLOWED_IN_WORDS: Record<RouteAccess["access"], string> = {
  anyone: "anyone",
  subject: "users and accounts with a token",
  connector: "connectors with their secret",
  operator: "the operator of this server",
};

/** Refuses a caller that may not use a route. */
export function checkAccess(route: RouteAccess, caller: Caller): void {
  const { access } = route;
  if (!ALLOWED[access].includes(caller.kind)) {
    if (caller.kind === "anonymous") {
      throw new Refusal("unauthorized", "Credentials are missing: send a connector id and its secret, or a token.");
    }
    throw new Refusal("forbidden", `These credentials may not do this: it is for ${ALLOWED_IN_WORDS[access]}.`);
  }
  if (caller.kind === "member") checkRole(route, caller);
}

/** The role that a member needs for a route. */
export function roleFor({ method, access, reads = false }: Pick<RouteAccess, "method" | "access" | "reads">): Role {
  if (method === "GET" || method === "HEAD" || reads) return "viewer";
  return access === "operator" ? "owner" : "editor";
}

function checkRole(route: RouteAccess, { role, member }: Extract<Caller, { kind: "member" }>): void {
  if (route.serverWide && !member.isOperator) {
    throw new Refusal("forbidden", "This affects the whole server, so only the operator may do it.");
  }
  const needed = roleFor(route);
  if (includesRole(role, needed)) return;
  const needs = needed === "owner" ? "an owner" : "an editor or an owner";
  throw new Refusal("forbidden", `You are ${role === "viewer" ? "a viewer" : "an editor"} here: this needs ${needs}.`);
}
