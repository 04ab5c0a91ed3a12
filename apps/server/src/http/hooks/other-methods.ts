import { Refusal } from "@muster/protocol";
import "@fastify/swagger";
import type { HTTPMethods } from "fastify";
import type { App } from "../app-type.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * A known path with a method it does not have is a 405 that says which it has. Watches the routes as they are added;
 * call what it returns after the last one.
 */
export function answerOtherMethods(app: App): () => void {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByUrl.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...methodsByUrl]) {
      // What answers everything else has no methods of its own.
      if (url === "*" || url === "/*") continue;
      const allow = [...methods].sort().join(", ");
      const others = METHODS.filter((method) => !methods.has(method)) as HTTPMethods[];
      if (others.length === 0) continue;
      app.route({
        method: others,
        url,
        config: { access: "open" },
        schema: { hide: true },
        // Before the body is read: the method is wrong whatever it holds.
        onRequest: async (request, reply) => {
          reply.header("allow", allow);
          throw new Refusal("method_not_allowed", `${request.method} is not possible here; use ${allow}.`);
        },
        handler: () => undefined,
      });
    }
  };
}
