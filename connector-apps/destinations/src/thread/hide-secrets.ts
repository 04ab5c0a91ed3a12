const HIDDEN = "[hidden]";
/** Shorter values would blacken words that have nothing to do with them. */
const LEAST_LENGTH = 5;
/** What services call their credentials, in addresses and in JSON. */
const NAMED =
  /((?:"|[?&])(?:[\w-]*(?:token|secret|password|api_?key|apikey|authorization|access_key|signature)[\w-]*)(?:"\s*:\s*"|=))[^"&\s]+/gi;

/** Replaces secrets in a text that people will read: the values that are known, in the forms in which they are sent, and what looks like one. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) {
    if (secret.length < LEAST_LENGTH) continue;
    for (const form of new Set([
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
      JSON.stringify(secret).slice(1, -1),
    ])) {
      hidden = hidden.replaceAll(form, HIDDEN);
    }
  }
  return hidden.replace(NAMED, `$1${HIDDEN}`);
}

const ADDRESS = /https?:\/\/[^\s"']+/g;
/** Addresses of webhooks are secrets: a part of their path is as long as a password. */
const LONG_PART = /\/[\w-]{20,}(?=[/?:,]|$)/g;

/** The address without what may be a secret in its path. */
export function hideInAddress(address: string): string {
  return address.replace(LONG_PART, `/${HIDDEN}`);
}

/** The same for a reason. Libraries put the address into the reason why nobody answered there. */
export function hideInReason(reason: string, secrets: readonly string[]): string {
  return hideSecrets(reason.replace(ADDRESS, hideInAddress), secrets);
}
