import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { type Brand, encodeTokenPart, isObject, parseJson } from "@muster/protocol";

/** The key that a platform signs its notifications with. */
export interface PlatformKey {
  readonly publicPem: string;
  /** The headers of a signature. The claims given replace those of a good one. */
  headersFor(
    brand: Brand,
    keyUrl: string,
    body: string,
    claims?: Readonly<Record<string, unknown>>,
  ): Record<string, string>;
}

export function createPlatformKey(): PlatformKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    publicPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    headersFor({ headers }, keyUrl, body, claims = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const digest = createHash("sha256").update(body).digest("hex");
      const signed = [
        { alg: "RS256", typ: "JWT" },
        { jti: notificationIdOf(body), iat: now, exp: now + 600, body_sha256: digest, ...claims },
      ]
        .map(encodeTokenPart)
        .join(".");
      const signature = sign("sha256", Buffer.from(signed), privateKey).toString("base64url");
      return {
        [headers.smartNotifier]: "true",
        [headers.signatureVersion]: "v1",
        [headers.signature]: `${signed}.${signature}`,
        [headers.signaturePublicKeyUrl]: keyUrl,
      };
    },
  };
}

function notificationIdOf(body: string): unknown {
  const content = parseJson(body);
  return isObject(content) ? content.notification_id : undefined;
}

let shared: PlatformKey | undefined;

/** All fake platforms of a process share one key, because making a key takes longer than most tests. */
export function sharedPlatformKey(): PlatformKey {
  shared ??= createPlatformKey();
  return shared;
}
