import { isLoopback } from "../context/loopback.js";

/**
 * Whether a key at this address may sign for an organization. Anybody can sign with a key of their own, so the key must
 * be on a host of the organization's platform: the organization's own host, a host in the same domain, or the domain.
 */
export function isKeyOfOrganization(keyUrl: string, organization: string): boolean {
  if (!URL.canParse(keyUrl)) return false;
  const { protocol, hostname } = new URL(keyUrl);
  if (protocol !== "https:" && protocol !== "http:") return false;
  const host = organization.replace(/:\d+$/, "").toLowerCase();
  if (isLoopback(host) && isLoopback(hostname)) return true;
  if (hostname === host) return true;
  const domain = host.slice(host.indexOf(".") + 1);
  // A domain of one label, such as `com`, does not belong to one platform.
  return domain.includes(".") && (hostname === domain || hostname.endsWith(`.${domain}`));
}
