import type { RequestHandler } from "express";
import { TransientError } from "../errors/transient-error.js";
import { answerError } from "./answer-error.js";

/** Answers requests that take too long with an error, so that the caller need not wait longer. Their handlers continue. */
export function timeOut(limitMs: number): RequestHandler {
  return (_request, response, next) => {
    const timer = setTimeout(() => answerError(response, new TransientError("The request took too long.")), limitMs);
    response.once("close", () => clearTimeout(timer));
    next();
  };
}
