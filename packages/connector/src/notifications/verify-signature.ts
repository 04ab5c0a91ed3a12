import { createHash, type KeyObject, verify } from "node:crypto";
import { decodeTokenPart } from "@muster/protocol";
import { RequestError } from "../errors/request-error.js";

/** What a signature must have been made for. */
export interface SignedContent {
  notificationId: unknown;
  body: Buffer;
}

/** Throws unless the notification was signed with the key and was not changed afterwards. */
export function verifySignature(
  token: string,
  key: KeyObject,
  { notificationId, body }: SignedContent,
  nowMs: number,
): void {
  const [header = "", payload = "", signature = "", ...rest] = token.split(".");
  // No other algorithm is implemented, so a token cannot choose a weaker one.
  if (rest.length > 0 || decodeTokenPart(header)?.alg !== "RS256") throw invalid("it is not a token signed with RS256");
  if (!verify("sha256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"))) {
    throw invalid("it does not match the public key");
  }
  const { jti, exp, body_sha256: digest } = decodeTokenPart(payload) ?? {};
  if (typeof jti !== "string" || jti !== notificationId) throw invalid("it is for another notification");
  if (typeof exp === "number" && nowMs / 1_000 >= exp) throw invalid("it has expired");
  if (digest !== undefined && digest !== createHash("sha256").update(body).digest("hex")) {
    throw invalid("the body was changed");
  }
}

function invalid(reason: string): RequestError {
  return new RequestError(401, "invalid_signature", `The signature is not valid: ${reason}.`);
}
