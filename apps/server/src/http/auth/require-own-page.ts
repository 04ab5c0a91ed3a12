import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import { csrfTokenOf } from "../../members/sessions.js";
import { equalSecrets } from "../../runtime/secrets/vault.js";

/** The header in which the dashboard sends the token that `GET /session` has given to it. */
export const CSRF_HEADER = "x-csrf-token";

/** Refuses a changing request with the cookie of a session that a page of another website may have made. */
export function requireOwnPage(request: FastifyRequest, sessionToken: string): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  requireOwnOrigin(request);
  const given = request.headers[CSRF_HEADER];
  if (typeof given !== "string" || !equalSecrets(given, csrfTokenOf(sessionToken))) {
    throw new Refusal(
      "forbidden",
      `A change with a session needs the ${CSRF_HEADER} header, from GET /api/v1/session.`,
    );
  }
}

/** Refuses a request that a page of another origin has made. */
export function requireOwnOrigin(request: FastifyRequest): void {
  if (!isFromOwnOrigin(request)) throw new Refusal("forbidden", "The request comes from a page of another website.");
}

/** Whether a request comes from a page of our own origin. Programs that are no browsers name no origin. */
export function isFromOwnOrigin(request: FastifyRequest): boolean {
  const { "sec-fetch-site": site, origin } = request.headers;
  if (site !== undefined) return site === "same-origin";
  return origin === undefined || hostOf(origin) === request.host.toLowerCase();
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
