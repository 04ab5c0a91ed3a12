import { Refusal } from "@muster/protocol";
import "@fastify/swagger";
import type { HTTPMethods } from "fastify";
import type { App } from "../app-type.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * Answers 405 with an `Allow` header when a path exists but not with the method of the request. It collects the routes
 * that are added after this call; call the returned function after the last one.
 */
export function answerOtherMethods(app: App): () => void {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method, config }) => {
    if (config?.leavesOtherMethods) return;
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByUrl.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...methodsByUrl]) {
      // The catch-all route of the 404 handler.
      if (url === "*" || url === "/*") continue;
      const allow = [...methods].sort().join(", ");
      const others = METHODS.filter((method) => !methods.has(method)) as HTTPMethods[];
      if (others.length === 0) continue;
      app.route({
        method: others,
        url,
        config: { access: "open" },
        schema: { hide: true },
        // In onRequest, so that the body is not read.
        onRequest: async (request, reply) => {
          reply.header("allow", allow);
          throw new Refusal("method_not_allowed", `${request.method} is not possible here; use ${allow}.`);
        },
        handler: () => undefined,
      });
    }
  };
}
