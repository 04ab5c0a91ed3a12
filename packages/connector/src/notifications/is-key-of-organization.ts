import { isLoopback } from "../context/loopback.js";

/**
 * Whether a key at this address may speak for an organization: anybody can sign with a key of their own, so it must be
 * kept by the organization's platform, which is its host, a sister of it, or the host above it.
 */
export function isKeyOfOrganization(keyUrl: string, organization: string): boolean {
  if (!URL.canParse(keyUrl)) return false;
  const { protocol, hostname } = new URL(keyUrl);
  if (protocol !== "https:" && protocol !== "http:") return false;
  const host = organization.replace(/:\d+$/, "").toLowerCase();
  if (isLoopback(host) && isLoopback(hostname)) return true;
  if (hostname === host) return true;
  const domain = host.slice(host.indexOf(".") + 1);
  // A domain of one label, such as `com`, is everybody's.
  return domain.includes(".") && (hostname === domain || hostname.endsWith(`.${domain}`));
}
