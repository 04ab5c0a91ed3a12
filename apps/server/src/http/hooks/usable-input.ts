import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import { findUnusable } from "../../domain/entries/unusable-json.js";

/** Refuses a body that could not be stored or printed again. */
export async function requireUsableBody(request: FastifyRequest): Promise<void> {
  const problem = findUnusable(request.body);
  if (problem) {
    throw new Refusal("invalid_parameter", problem, { details: [{ path: "body", message: problem }] });
  }
}

/**
 * Refuses a NUL in the path or the query, where credentials may stand, before anything is looked up by them; and a
 * request without the Host that HTTP/1.1 asks for.
 */
export async function requireUsableHead({ raw }: FastifyRequest): Promise<void> {
  if (raw.url?.includes("%00")) throw new Refusal("bad_request", "The URL holds a NUL character.");
  if (raw.headers.host === undefined && raw.httpVersion === "1.1") {
    throw new Refusal("bad_request", "The request has no Host header.");
  }
}
