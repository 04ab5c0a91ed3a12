import { createHmac, timingSafeEqual } from "node:crypto";

/** Older calls are refused, so that a recorded call cannot be replayed. */
const MAX_AGE_SECONDS = 300;

/**
 * The content of a webhook, or undefined when it was not signed with the secret.
 * @param {Buffer} body the bytes as they came
 * @param {string | undefined} signature the header `X-Signature`: t=UNIX TIME,v1=HEX
 * @param {string} secret
 */
export function readWebhook(body, signature, secret, now = Date.now() / 1_000) {
  const { t, v1 } = Object.fromEntries((signature ?? "").split(",").map((part) => part.split("=")));
  if (secret === "" || !t || !v1 || Math.abs(now - Number(t)) > MAX_AGE_SECONDS) return undefined;
  const expected = createHmac("sha256", secret).update(`${t}.`).update(body).digest();
  const given = Buffer.from(v1, "hex");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return JSON.parse(body.toString("utf8"));
}
