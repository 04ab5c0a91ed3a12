import { isObject, parseJson } from "@muster/protocol";
import { ClientError, clientError } from "../client-error.js";
import type { HttpAnswer } from "./exchange.js";

/** The error for an answer that is a refusal, with the server's code and message if it gave them. */
export function readFailure(answer: HttpAnswer): ClientError {
  const { status } = answer;
  const body = parseJson(answer.text);
  const error = isObject(body) ? body.error : undefined;
  if (isObject(error) && typeof error.code === "string" && typeof error.message === "string") {
    return new ClientError(error.code, error.message, {
      status,
      ...(Array.isArray(error.details) ? { details: error.details } : {}),
    });
  }
  return clientError("unexpected_answer", `The server answered ${status} without saying why.`, { status });
}
