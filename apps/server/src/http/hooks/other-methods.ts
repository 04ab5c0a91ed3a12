import { Refusal } from "@muster/protocol";
import findMyWay from "find-my-way";
import type { Role } from "../../runtime/settings/roles.js";
import type { App } from "../app-type.js";
import { requireRole } from "./route-roles.js";

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/**
 * Answers 405 with an `Allow` header when a path exists but not with the method of the request, although `/:id` may match the
 * path too. It knows the routes that are added after this call, and puts them in order at the first request that needs it:
 * routes of their own for all these methods took a tenth of the start.
 */
export function answerOtherMethods(app: App, roles: readonly Role[]): void {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method, config }) => {
    // The catch-all route of the 404 handler.
    if (config?.leavesOtherMethods || url === "*" || url === "/*") return;
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByUrl.set(url, methods);
  });
  let urlOf: ((path: string) => string | undefined) | undefined;
  // In onRequest, so that the body is not read.
  app.addHook("onRequest", async ({ is404, method, url: path, routeOptions }, reply) => {
    const isFound = !is404 && !/[:*]/.test(routeOptions.url ?? "");
    if (isFound || !METHODS.has(method)) return;
    urlOf ??= orderPaths(methodsByUrl.keys(), app.initialConfig.routerOptions);
    const url = urlOf(path);
    const methods = url === undefined ? undefined : methodsByUrl.get(url);
    if (url === undefined || methods === undefined || methods.has(method)) return;
    requireRole(method, url, roles);
    const allow = [...methods].sort().join(", ");
    reply.header("allow", allow);
    throw new Refusal("method_not_allowed", `${method} is not possible here; use ${allow}.`);
  });
}

/** Finds the URL of a route by the path of a request, by the rules by which the app finds its routes. */
function orderPaths(urls: Iterable<string>, options: App["initialConfig"]["routerOptions"]) {
  const { ignoreTrailingSlash, maxParamLength } = options ?? {};
  const router = findMyWay({ ignoreTrailingSlash, maxParamLength });
  for (const url of urls) router.on("GET", url, () => {}, { url });
  return (path: string): string | undefined => router.find("GET", path)?.store.url;
}
