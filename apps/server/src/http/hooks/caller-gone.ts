import { Refusal } from "@muster/protocol";
import type { FastifyReply } from "fastify";

/**
 * A signal that aborts when the caller goes away before it has its answer. It watches the reply: a request is closed as
 * soon as its body was read.
 */
export function callerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new Refusal("bad_request", "The caller went away before it had an answer."));
  if (raw.destroyed) abort();
  else raw.once("close", abort);
  return gone.signal;
}
