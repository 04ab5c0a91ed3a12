import type { RequestHandler } from "express";

/**
 * Lets pages of the given origins call an endpoint and read its answer. No other page needs to: the dashboard calls the
 * connector through Muster, and the connector's own pages have its origin.
 */
export function allowCrossOrigin(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins.map((origin) => origin.replace(/\/+$/, "").toLowerCase()));
  return (request, response, next) => {
    const origin = request.get("origin")?.toLowerCase();
    if (allowed.size > 0) response.vary("Origin");
    if (origin !== undefined && allowed.has(origin)) {
      response.set("Access-Control-Allow-Origin", origin);
      response.set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS");
      response.set("Access-Control-Allow-Headers", "content-type");
      response.set("Access-Control-Max-Age", "600");
    }
    if (request.method === "OPTIONS") response.status(204).end();
    else next();
  };
}
