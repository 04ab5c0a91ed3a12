import { ACCOUNT_IDENTIFIERS, readClaims, signToken, type TokenPayload, USER_IDENTIFIERS } from "@muster/protocol";
import type { OwnConnector } from "@muster/protocol/api/connectors";
import type { Command } from "commander";
import type { Api } from "../api.js";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { usageFailure } from "../failure.js";
import { findConnector } from "../find/find-connector.js";
import { readDuration } from "../input/option-values.js";
import { readList } from "../read-list.js";

interface TokenFlags {
  connector?: string;
  id?: string;
  email?: string;
  externalId?: string;
  anonymousId?: string;
  domain?: string;
  accountId?: string;
  accountExternalId?: string;
  accountDomain?: string;
  accountAnonymousId?: string;
  admin?: boolean;
  create: boolean;
  expires?: number;
}

const DEFAULT_LIFE = "15m";

export function addToken(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("token")
    .description("make a token of a user or an account, for tests; it is signed with the secret of a connector")
    .option("--connector <id>", "connector that issues it: its id or name (default: the only one)")
    .option("--id <id>", "id of the user")
    .option("--email <email>", "email of the user")
    .option("--external-id <id>", "external id of the user")
    .option("--anonymous-id <id>", "anonymous id of the user")
    .option("--domain <domain>", "domain of the user")
    .option("--account-id <id>", "id of the account")
    .option("--account-external-id <id>", "external id of the account")
    .option("--account-domain <domain>", "domain of the account")
    .option("--account-anonymous-id <id>", "anonymous id of the account")
    .option("--admin", "let the holder act with the full access of the connector")
    .option("--no-create", "do not create the user or account when it is unknown")
    .option(
      "--expires <time>",
      `how long it is valid, e.g. 90s, 15m, 1h or 7d (default: ${DEFAULT_LIFE})`,
      readDuration,
    )
    .example("muster token --connector Shop --email ada@example.com --expires 1h")
    .action(async ({ expires = readDuration(DEFAULT_LIFE), ...flags }: TokenFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, name, secret } = await issuerOf(api, flags.connector);
      const now = Math.floor(Date.now() / 1_000);
      const claims = { ...claimsOf(api, flags), iss: id, iat: now, exp: now + Math.ceil(expires / 1_000) };
      const read = readClaims(api.brand, claims);
      if (typeof read === "string") {
        throw usageFailure("The token has no identifier: give --email, --external-id or another identifier.");
      }
      const expiresAt = new Date(claims.exp * 1_000).toISOString();
      context.warn(
        `This token is a credential: whoever holds it acts as ${flags.admin ? `"${name}" with its full access` : `this ${read.subjectType}`} until ${expiresAt}.`,
      );
      const token = signToken(claims, secret);
      show({ token, expires_at: expiresAt, claims }, () => token);
    });
}

async function issuerOf(api: Api, given: string | undefined): Promise<OwnConnector> {
  if (given !== undefined) return findConnector(api, given);
  const [first, ...others] = await readList<OwnConnector>(api, "/connectors");
  if (first && others.length === 0) return first;
  throw usageFailure("There are several connectors. Name the one that issues the token with --connector.");
}

function claimsOf({ brand }: Api, flags: Omit<TokenFlags, "expires">): TokenPayload {
  const { id, email, externalId: external_id, anonymousId: anonymous_id, domain } = flags;
  const asUser = given(USER_IDENTIFIERS, { id, email, external_id, anonymous_id, domain });
  const asAccount = given(ACCOUNT_IDENTIFIERS, {
    id: flags.accountId,
    external_id: flags.accountExternalId,
    domain: flags.accountDomain,
    anonymous_id: flags.accountAnonymousId,
  });
  return {
    [brand.claims.subjectType]: asAccount && !asUser ? "account" : "user",
    ...(asUser ? { [brand.claims.asUser]: asUser } : {}),
    ...(asAccount ? { [brand.claims.asAccount]: asAccount } : {}),
    ...(flags.create ? {} : { [brand.claims.create]: false }),
    ...(flags.admin ? { scopes: ["admin"] } : {}),
  };
}

function given<Key extends string>(
  keys: readonly Key[],
  values: Record<Key, string | undefined>,
): Partial<Record<Key, string>> | undefined {
  const found = keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]] as const]));
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Partial<Record<Key, string>>);
}
