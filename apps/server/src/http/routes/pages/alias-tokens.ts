import { isObject, Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import type { AliasProof } from "../../../pipeline/accept/accept-page-records.js";
import { type AuthenticateOptions, authenticateToken } from "../../auth/authenticate.js";
import { claimsOf } from "../../auth/caller.js";

/** A link has one token. Checking one costs more than a record. */
const MAX_TOKENS = 5;

/**
 * Checks the tokens in the alias records of a page. A connector makes such a token, for example for a link in a mail, and
 * says by it that whoever has the link is the visitor with that anonymous id.
 */
export async function readAliasTokens(
  authentication: AuthenticateOptions,
  request: FastifyRequest,
  batch: readonly unknown[],
): Promise<Map<string, AliasProof>> {
  const proofs = new Map<string, AliasProof>();
  for (const record of batch) {
    const token = tokenOf(record);
    if (token === undefined || proofs.has(token)) continue;
    if (proofs.size === MAX_TOKENS) break;
    proofs.set(token, await readAliasToken(authentication, request, token));
  }
  return proofs;
}

function tokenOf(record: unknown): string | undefined {
  const { type, body } = isObject(record) ? record : {};
  const { token } = isObject(body) ? body : {};
  return type === "alias" && typeof token === "string" ? token : undefined;
}

async function readAliasToken(
  authentication: AuthenticateOptions,
  { headers, ip }: FastifyRequest,
  token: string,
): Promise<AliasProof> {
  try {
    const caller = await authenticateToken(authentication, { headers, ip }, token, Date.now());
    const { subjectType, subjectId, asUser = {} } = claimsOf(caller) ?? {};
    const { anonymous_id: anonymousId, ...others } = asUser;
    const isAlone = subjectType === "user" && subjectId === undefined && Object.keys(others).length === 0;
    if (anonymousId !== undefined && isAlone) return { anonymousId };
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return { code: error.code, message: error.message };
    throw error;
  }
  return {
    code: "invalid_token",
    message:
      "The token of an alias must name a user by an anonymous_id and by nothing else. The token of a user who is signed in is refused, because users could put their own into links for others.",
  };
}
