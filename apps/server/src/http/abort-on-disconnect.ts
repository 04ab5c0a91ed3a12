import { Refusal } from "@muster/protocol";
import type { FastifyReply } from "fastify";

/**
 * A signal that aborts when the caller disconnects before it has an answer. It listens to the response, because Node
 * closes the request as soon as its body is read.
 */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new Refusal("bad_request", "The caller disconnected before it had an answer."));
  if (raw.destroyed) abort();
  else raw.once("close", abort);
  return controller.signal;
}
