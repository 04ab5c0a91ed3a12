import type { RequestHandler } from "express";
import { TransientError } from "../errors/transient-error.js";
import { answerError } from "./answer-error.js";

/** Answers requests that take too long, so that whoever made them does not wait in vain. Their handlers go on. */
export function timeOut(limitMs: number): RequestHandler {
  return (_request, response, next) => {
    const timer = setTimeout(() => answerError(response, new TransientError("The request took too long.")), limitMs);
    response.once("close", () => clearTimeout(timer));
    next();
  };
}
