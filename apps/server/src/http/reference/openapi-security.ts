import type { Brand } from "@muster/protocol";
import type { OpenAPIV3_1 } from "openapi-types";
import type { Access } from "../auth/caller.js";
import { type RouteAccess, roleFor } from "../auth/check-access.js";

type Requirement = Record<string, string[]>;

const CONNECTOR: Requirement = { connectorId: [], connectorSecret: [] };
const TOKEN: Requirement = { token: [] };
const OPERATOR: Requirement = { operator: [] };
const WRITE_KEY: Requirement = { writeKey: [] };
const SESSION: Requirement = { session: [] };
const NOTHING: Requirement = {};

const SECURITY: Record<Access, Requirement[]> = {
  open: [],
  writer: [WRITE_KEY],
  member: [SESSION, OPERATOR],
  anyone: [NOTHING, TOKEN, CONNECTOR, OPERATOR],
  subject: [TOKEN, CONNECTOR, OPERATOR, SESSION],
  connector: [CONNECTOR, OPERATOR, SESSION],
  operator: [OPERATOR, SESSION],
};

/** The credentials that an access requires, as OpenAPI alternatives. */
export function securityOf(access: Access, withSession: boolean): Requirement[] {
  return SECURITY[access].filter((requirement) => withSession || requirement !== SESSION);
}

const ACCESS_WORDS: Record<Access, string> = {
  open: "Access: open. No credentials are needed.",
  anyone: "Access: anyone. Credentials are optional, but they must be right if they are sent.",
  writer: "Access: holders of a write key.",
  member: "Access: members who are signed in.",
  subject: "Access: users and accounts with a token, connectors, the operator, members.",
  connector: "Access: connectors with their secret (Admin), the operator, members.",
  operator: "Access: the operator of the server with the admin token, members.",
};

/** Who may use a route, in words. What a member may do depends on the role. */
export function accessInWords(
  { access, ...route }: { access: Access } & Omit<RouteAccess, "access">,
  withSession: boolean,
): string {
  const words = ACCESS_WORDS[access];
  if (!withSession) return words.replace(/, members\.$/, ".");
  if (access === "open" || access === "writer" || access === "member" || access === "anyone") return words;
  const role = route.serverWide ? "who run the server" : `with the role ${roleFor({ ...route, access })}`;
  return words.replace(/members\.$/, `members ${role}.`);
}

/** The kinds of credentials, as OpenAPI security schemes. */
export function describeSecurity({ headers }: Brand): Record<string, OpenAPIV3_1.SecuritySchemeObject> {
  return {
    connectorId: {
      type: "apiKey",
      in: "header",
      name: headers.appId,
      description:
        "Id of the calling connector. The query parameter `id` (or `app_id`) works too, but proxies write it to their logs.",
    },
    connectorSecret: {
      type: "apiKey",
      in: "header",
      name: headers.accessToken,
      description:
        "Secret of the calling connector. The query parameter `secret` (or `access_token`) works too, but proxies write it to their logs. Never send it from a browser.",
    },
    token: {
      type: "apiKey",
      in: "header",
      name: headers.accessToken,
      description: "A token of a user or account: a JSON Web Token that is signed with the connector's secret (HS256).",
    },
    writeKey: {
      type: "http",
      scheme: "basic",
      description: "A write key of a connector as the user name, without a password. It may write, and reads nothing.",
    },
    operator: {
      type: "http",
      scheme: "bearer",
      description: "The admin token of the server, from `admin.token` in its data directory.",
    },
    session: {
      type: "apiKey",
      in: "cookie",
      name: "muster_session",
      description:
        "The session of a member who is signed in; over https its name begins with `__Host-`. Requests that are not GET need the header `X-CSRF-Token` too, with the token that `GET /api/v1/session` answers.",
    },
  };
}
