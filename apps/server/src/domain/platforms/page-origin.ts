/** Whether a page of this origin may use a platform or a write key. `*.example.com` stands for all hosts under example.com. */
export function mayUse({ domains }: { domains: readonly string[] }, origin: string): boolean {
  const host = hostOf(origin);
  return host !== undefined && domains.some((domain) => isWithin(domain.toLowerCase(), host));
}

function isWithin(domain: string, { hostname, host }: { hostname: string; host: string }): boolean {
  if (domain.startsWith("*.")) return hostname.endsWith(domain.slice(1));
  return domain === hostname || domain === host;
}

function hostOf(origin: string): { hostname: string; host: string } | undefined {
  try {
    const { protocol, hostname, host } = new URL(origin);
    return protocol === "https:" || protocol === "http:" ? { hostname, host } : undefined;
  } catch {
    return undefined;
  }
}
