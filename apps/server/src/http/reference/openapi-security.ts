import type { Brand } from "@muster/protocol";
import type { OpenAPIV3_1 } from "openapi-types";
import type { Access } from "../auth/caller.js";

type Requirement = Record<string, string[]>;

const CONNECTOR: Requirement = { connectorId: [], connectorSecret: [] };
const TOKEN: Requirement = { token: [] };
const OPERATOR: Requirement = { operator: [] };
const NOTHING: Requirement = {};

const SECURITY: Record<Access, Requirement[]> = {
  open: [],
  anyone: [NOTHING, TOKEN, CONNECTOR, OPERATOR],
  subject: [TOKEN, CONNECTOR, OPERATOR],
  connector: [CONNECTOR, OPERATOR],
  operator: [OPERATOR],
};

/** The credentials that an access requires, as OpenAPI alternatives. */
export function securityOf(access: Access): Requirement[] {
  return SECURITY[access];
}

const ACCESS_WORDS: Record<Access, string> = {
  open: "Access: open. No credentials are needed.",
  anyone: "Access: anyone. Credentials are optional, but they must be right if they are sent.",
  subject: "Access: users and accounts with a token, connectors, the operator.",
  connector: "Access: connectors with their secret (Admin), the operator.",
  operator: "Access: the operator of the server, with the admin token.",
};

export function accessInWords(access: Access): string {
  return ACCESS_WORDS[access];
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
    operator: {
      type: "http",
      scheme: "bearer",
      description: "The admin token of the server, from `admin.token` in its data directory.",
    },
  };
}
