import { createHash, type KeyObject } from "node:crypto";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { RequestError } from "../errors/request-error.js";

const NOT_A_TOKEN = [errors.JOSEAlgNotAllowed, errors.JWSInvalid, errors.JWTInvalid];

/** What a signature must have been made for. */
export interface SignedContent {
  notificationId: unknown;
  body: Buffer;
}

/** Throws unless the notification was signed with the key and was not changed afterwards. */
export async function verifySignature(
  token: string,
  key: KeyObject,
  { notificationId, body }: SignedContent,
  nowMs: number,
): Promise<void> {
  const { jti, body_sha256: digest } = await verifyToken(token, key, nowMs);
  if (typeof jti !== "string" || jti !== notificationId) throw invalid("it is for another notification");
  if (digest !== createHash("sha256").update(body).digest("hex")) {
    throw invalid("the body was changed");
  }
}

async function verifyToken(token: string, key: KeyObject, nowMs: number): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, key, {
      // One algorithm is allowed, so a token cannot choose a weaker one.
      algorithms: ["RS256"],
      currentDate: new Date(nowMs),
      requiredClaims: ["exp", "jti", "body_sha256"],
    });
    return payload;
  } catch (cause) {
    throw invalid(reasonOf(cause), cause);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} is not valid`;
  if (NOT_A_TOKEN.some((type) => error instanceof type)) return "it is not a token signed with RS256";
  // A signature by another key, or a key that RS256 cannot use.
  return "it does not match the public key";
}

function invalid(reason: string, cause?: unknown): RequestError {
  return new RequestError(401, "invalid_signature", `The signature is not valid: ${reason}.`, { cause });
}
