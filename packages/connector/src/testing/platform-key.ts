import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { type Brand, encodeTokenPart } from "@muster/protocol";

/** The key that a platform signs its notifications with. */
export interface PlatformKey {
  readonly publicPem: string;
  headersFor(brand: Brand, keyUrl: string, notificationId: string, body: string): Record<string, string>;
}

export function createPlatformKey(): PlatformKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    publicPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    headersFor({ headers }, keyUrl, notificationId, body) {
      const now = Math.floor(Date.now() / 1_000);
      const digest = createHash("sha256").update(body).digest("hex");
      const signed = [
        { alg: "RS256", typ: "JWT" },
        { jti: notificationId, iat: now, exp: now + 600, body_sha256: digest },
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

let shared: PlatformKey | undefined;

/** All fake platforms of a process share one key, because making a key takes longer than most tests. */
export function sharedPlatformKey(): PlatformKey {
  shared ??= createPlatformKey();
  return shared;
}
