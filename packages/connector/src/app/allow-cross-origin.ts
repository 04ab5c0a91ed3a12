import type { RequestHandler } from "express";

/**
 * Lets pages of any origin call an endpoint, because the dashboard asks for the options of settings. Credentials are in
 * the query and never in cookies, so a foreign page cannot use the credentials of its visitor.
 */
export const allowCrossOrigin: RequestHandler = (request, response, next) => {
  response.set("Access-Control-Allow-Origin", "*");
  if (request.method !== "OPTIONS") return next();
  response.set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS");
  response.set("Access-Control-Allow-Headers", request.get("access-control-request-headers") ?? "content-type");
  response.set("Access-Control-Max-Age", "600");
  response.status(204).end();
};
