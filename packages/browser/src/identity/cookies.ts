/** The cookies of a page. */
export function readCookies(document: Document): Record<string, string> {
  let text: string;
  try {
    text = document.cookie;
  } catch {
    // A page in a sandbox may not read cookies.
    return {};
  }
  const cookies: Record<string, string> = Object.create(null);
  for (const part of text.split(";")) {
    const at = part.indexOf("=");
    if (at === -1) continue;
    const name = part.slice(0, at).trim();
    // Of two cookies with the same name, the browser sends the one with the longer path first.
    cookies[name] ??= decoded(part.slice(at + 1).trim());
  }
  return cookies;
}

export interface CookieOptions {
  maxAgeSeconds: number;
  /** The host that the cookie is for, and all hosts under it. Left out: the host of the page alone. */
  domain?: string | undefined;
}

export function writeCookie(document: Document, name: string, value: string, options: CookieOptions): void {
  const { maxAgeSeconds, domain } = options;
  const isSecure = document.location.protocol === "https:";
  const parts = [
    `${name}=${encodeURIComponent(value)}`,
    "path=/",
    `max-age=${maxAgeSeconds}`,
    "samesite=lax",
    ...(domain === undefined ? [] : [`domain=${domain}`]),
    ...(isSecure ? ["secure"] : []),
  ];
  try {
    document.cookie = parts.join("; ");
  } catch {
    // A page in a sandbox may not write cookies. The ids are in the storage too.
  }
}

/**
 * The widest domain for which the page may set cookies, so that a visitor of `www.` and `shop.` is one visitor. Browsers
 * refuse cookies for public suffixes such as `co.uk`: without a list of those, setting a test cookie is the only way to know.
 */
export function widestCookieDomain(document: Document): string | undefined {
  const labels = document.location.hostname.split(".");
  const isAddress = document.location.hostname.includes(":") || labels.every((label) => /^\d+$/.test(label));
  if (isAddress) return undefined;
  const probe = "_muster_domain";
  for (let count = 2; count <= labels.length; count += 1) {
    const domain = labels.slice(-count).join(".");
    writeCookie(document, probe, "1", { maxAgeSeconds: 10, domain });
    const isAccepted = readCookies(document)[probe] === "1";
    writeCookie(document, probe, "", { maxAgeSeconds: 0, domain });
    if (isAccepted) return domain;
  }
  return undefined;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
