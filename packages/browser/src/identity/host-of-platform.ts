/** Whether a host is one of the domains of a platform. Without a port, a domain stands for every port. */
export function isHostOf(domains: readonly string[], { hostname, host }: { hostname: string; host: string }): boolean {
  return domains
    .map((domain) => domain.toLowerCase())
    .some((domain) =>
      domain.startsWith("*.") ? hostname.endsWith(domain.slice(1)) : domain === hostname || domain === host,
    );
}
