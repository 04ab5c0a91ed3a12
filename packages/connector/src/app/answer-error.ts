import { reasonOf } from "@muster/protocol";
import type { Response } from "express";
import type { Context } from "../context/context.js";
import { RequestError } from "../errors/request-error.js";
import { TransientError } from "../errors/transient-error.js";

/** The status and body that an error is answered with. */
export interface ErrorAnswer {
  status: number;
  body: { error: string; code: string };
}

const UNHANDLED = { status: 500, body: { error: "unhandled-error", code: "ERR_UNHANDLED" } };

/**
 * The status and body for an error. The message of a connector's own error is hidden unless `respondWithError` is true.
 * Problems of the request are always named.
 */
export function describeError(error: unknown, respondWithError: boolean): ErrorAnswer {
  if (error instanceof RequestError) return { status: error.status, body: { error: error.message, code: error.code } };
  const refusal = bodyRefusal(error);
  if (refusal) return refusal;
  if (error instanceof TransientError) {
    const message = respondWithError ? error.message : "transient-error";
    return { status: error.status, body: { error: message, code: error.code } };
  }
  if (!respondWithError) return UNHANDLED;
  const code = error instanceof Error && "code" in error ? String(error.code) : UNHANDLED.body.code;
  return { status: 500, body: { error: reasonOf(error), code } };
}

/** Answers with an error, unless an answer is already on its way. */
export function answerError(response: Response, error: unknown, respondWithError = false): void {
  if (response.headersSent) return;
  const { status, body } = describeError(error, respondWithError);
  response.status(status).json(body);
}

/** Logs and counts an error of the connector itself. Problems of a request are not logged: only its sender can act on them. */
export function reportError(ctx: Context | undefined, error: unknown, where: string): void {
  if (!ctx || error instanceof RequestError || bodyRefusal(error)) return;
  const name = error instanceof Error ? error.name : "Error";
  const isTransient = error instanceof TransientError;
  ctx.metric.increment(isTransient ? "connector.transient_error" : "connector.error", 1, [`error_name:${name}`]);
  const data = { where, error: reasonOf(error), stack: error instanceof Error ? error.stack : undefined };
  if (isTransient) ctx.client.logger.warn("connector.request.error", data);
  else ctx.client.logger.error("connector.request.error", data);
}

/** The errors of Express's body parsers have a `status` and a `type`. */
function bodyRefusal(error: unknown): ErrorAnswer | undefined {
  if (!(error instanceof Error) || !("type" in error) || !("status" in error)) return undefined;
  const { status, type } = error;
  if (typeof status !== "number" || status < 400 || status > 499) return undefined;
  return { status, body: { error: error.message, code: String(type) } };
}
