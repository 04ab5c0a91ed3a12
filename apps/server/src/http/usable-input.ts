import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";

// Nothing real nests deeper, and recursive code (JSON.stringify, PostgreSQL's jsonb) has a stack that ends.
const MAX_DEPTH = 64;

/** Characters that PostgreSQL cannot keep: NUL, and halves of a surrogate pair. */
const UNUSABLE_TEXT = /[\0\p{Surrogate}]/u;

/** A sentence saying why a JSON value cannot be stored, or undefined when it can. Walks without recursion. */
export function findUnusable(value: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: current, depth } = next;
    if (typeof current === "string" && UNUSABLE_TEXT.test(current)) {
      return "A text holds a NUL character or half a surrogate pair, which cannot be stored.";
    }
    if (typeof current !== "object" || current === null) continue;
    if (depth === MAX_DEPTH) return `The value is nested deeper than ${MAX_DEPTH} levels.`;
    const parts = Array.isArray(current) ? current : [...Object.keys(current), ...Object.values(current)];
    for (const part of parts) open.push({ value: part, depth: depth + 1 });
  }
  return undefined;
}

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
