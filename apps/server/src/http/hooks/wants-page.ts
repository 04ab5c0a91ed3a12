import type { FastifyRequest } from "fastify";

/** Addresses that programs call. There a browser gets JSON too, because it runs a script that calls them. */
const OF_PROGRAMS = ["/api", "/assets", "/firehose", "/v1", "/js", "/docs"];

/** Whether a person opened this address in a browser: browsers then ask for HTML by name, programs do not. */
export function wantsPage({ method, url, headers }: Pick<FastifyRequest, "method" | "url" | "headers">): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (!headers.accept?.includes("text/html")) return false;
  const [path = ""] = url.split("?");
  return !OF_PROGRAMS.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
