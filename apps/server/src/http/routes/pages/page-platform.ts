import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import { mayUse } from "../../../domain/platforms/page-origin.js";
import type { Platform } from "../../../domain/platforms/platform.js";
import type { Platforms } from "../../../platforms/platforms.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";

/**
 * Finds the platform of every request before its body is read, and lets pages of its domains read the answer. That comes
 * first so that they can read refusals too: the library must know whether to try again, and when.
 */
export function platformOfPage(app: App, platforms: Platforms): (request: FastifyRequest) => Platform {
  const found = new WeakMap<FastifyRequest, Platform>();
  app.addHook("onRequest", async (request, reply) => {
    const { id } = request.params as { id: string };
    const { origin } = request.headers;
    const platform = await platforms.find(request.caller.organization.id, id);
    reply.header("vary", "origin");
    // A removed platform is not a secret, and its pages must not retry for ever.
    const isReader = origin !== undefined && (!platform || mayUse(platform, origin));
    if (isReader)
      reply.headers({ "access-control-allow-origin": origin, "access-control-expose-headers": "retry-after" });
    if (!platform) throw notFound("platform", id);
    if (origin !== undefined && !isReader) {
      throw new Refusal(
        "forbidden",
        `Pages of ${origin.slice(0, 200)} may not use this platform: it is for other domains.`,
      );
    }
    found.set(request, platform);
  });
  return (request) => {
    const platform = found.get(request);
    if (!platform) throw new Error("The hook has not found the platform of this request.");
    return platform;
  };
}
