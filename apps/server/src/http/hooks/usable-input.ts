import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import { findUnusable } from "../../domain/entries/unusable-json.js";

/** Refuses a body with text that PostgreSQL cannot store, or that is nested too deeply. */
export async function requireUsableBody(request: FastifyRequest): Promise<void> {
  const problem = findUnusable(request.body);
  if (problem) {
    throw new Refusal("invalid_parameter", problem, { details: [{ path: "body", message: problem }] });
  }
}

/**
 * Refuses a NUL character in the path or the query, because PostgreSQL cannot look up credentials that contain one, and
 * an HTTP/1.1 request without a Host header, and a request for `*`.
 */
export async function requireUsableHead({ raw }: FastifyRequest): Promise<void> {
  // The router would take it for the path "/".
  if (raw.url === "*" && raw.method !== "OPTIONS")
    throw new Refusal("bad_request", "The path must begin with a slash: `*` is only for OPTIONS.");
  if (raw.url?.includes("%00")) throw new Refusal("bad_request", "The URL contains a NUL character.");
  if (raw.headers.host === undefined && raw.httpVersion === "1.1") {
    throw new Refusal("bad_request", "The request has no Host header.");
  }
}
