import type { FastifyRequest } from "fastify";

/** Whether a request came over https. A proxy may end TLS without saying so; the public address then says it. */
export function isSecure({ protocol }: FastifyRequest, publicUrl: string): boolean {
  return protocol === "https" || publicUrl.startsWith("https:");
}
