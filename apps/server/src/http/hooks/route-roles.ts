import { Refusal } from "@muster/protocol";
import type { Role } from "../../runtime/settings/roles.js";
import type { App } from "../app-type.js";

const EVERYWHERE = ["/healthz", "/readyz", "/proof", "/metrics", "/status"];
const PAGES = ["/sign-in", "/invitations", "/o", "/icon.svg", "/assets", "/guide"];

/** The roles that serve a route; undefined when every process does. */
export function rolesOf(method: string, route: string): readonly Role[] | undefined {
  if (EVERYWHERE.includes(route)) return undefined;
  // The gateway has a host of its own too, and there it is at the root.
  if (route.startsWith("/v1/") || route === "/firehose" || (route === "/" && method === "POST")) return ["gateway"];
  if (route === "/" || PAGES.some((page) => route === page || route.startsWith(`${page}/`))) return ["dashboard"];
  return ["api", "dashboard"];
}

/** Refuses requests whose route is served by processes with other roles. It is registered before all routes. */
export function refuseOtherRoles(app: App, roles: readonly Role[]): void {
  app.addHook("onRequest", async ({ method, routeOptions, is404 }) => {
    if (!is404) requireRole(method, routeOptions.url ?? "", roles);
  });
}

/** Refuses a request whose route is served by processes with other roles than these. */
export function requireRole(method: string, route: string, roles: readonly Role[]): void {
  const serving = rolesOf(method, route);
  if (!serving || serving.some((role) => roles.includes(role))) return;
  throw new Refusal(
    "unavailable",
    `This process does not serve this address: it has the roles ${roles.join(", ")}, and the address needs ${serving.join(" or ")}.`,
  );
}
