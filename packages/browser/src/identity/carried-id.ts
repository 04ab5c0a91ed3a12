import { isUsableId } from "./browser-ids.js";

/** The id in an older link is ignored, because the link may have been copied and sent to another person. */
const LIFE_MS = 2 * 60 * 1_000;

/**
 * Carries the id of a visitor to another domain, in the query string of a link. The value holds the time and expires, so
 * that a link copied from the address bar does not turn two people into one visitor.
 */
export function carryId(id: string, now: number): string {
  return `${now.toString(36)}.${id}`;
}

/** The id that a query string carries, unless it is too old or comes from the future. */
export function carriedId(value: string | null, now: number): string | undefined {
  const at = value?.indexOf(".") ?? -1;
  if (value === null || at === -1) return undefined;
  const age = now - Number.parseInt(value.slice(0, at), 36);
  const id = value.slice(at + 1);
  return age >= -LIFE_MS && age <= LIFE_MS && isUsableId(id) ? id : undefined;
}

/** Whether a host is one of the domains of a platform; `*.example.com` is every host under example.com. */
export function isHostOf(domains: readonly string[], host: string): boolean {
  return domains.some((domain) => (domain.startsWith("*.") ? host.endsWith(domain.slice(1)) : host === domain));
}
