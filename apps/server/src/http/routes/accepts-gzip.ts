import type { FastifyRequest } from "fastify";

/** Whether the client takes a compressed answer. */
export function acceptsGzip({ headers }: FastifyRequest): boolean {
  const accepted = String(headers["accept-encoding"] ?? "");
  return /(^|[,\s])gzip(?!\s*;\s*q=0(\.0+)?\s*(,|$))/i.test(accepted);
}
