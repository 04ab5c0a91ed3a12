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
 * What a caller is told about an error. Errors of the connector are its own business unless `respondWithError` says
 * otherwise; what is wrong with the request is always told.
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

/** Logs and counts an error of the connector's own; what is wrong with a request is nobody's here to act on. */
export function reportError(ctx: Context | undefined, error: unknown, where: string): void {
  if (!ctx || error instanceof RequestError || bodyRefusal(error)) return;
  const name = error instanceof Error ? error.name : "Error";
  const isTransient = error instanceof TransientError;
  ctx.metric.increment(isTransient ? "connector.transient_error" : "connector.error", 1, [`error_name:${name}`]);
  const data = { where, error: reasonOf(error), stack: error instanceof Error ? error.stack : undefined };
  if (isTransient) ctx.client.logger.warn("connector.request.error", data);
  else ctx.client.logger.error("connector.request.error", data);
}

/** Express's body parsers mark what they refuse with a status and a type of their own. */
function bodyRefusal(error: unknown): ErrorAnswer | undefined {
  if (!(error instanceof Error) || !("type" in error) || !("status" in error)) return undefined;
  const { status, type } = error;
  if (typeof status !== "number" || status < 400 || status > 499) return undefined;
  return { status, body: { error: error.message, code: String(type) } };
}
