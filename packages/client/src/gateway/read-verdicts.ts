import { ClientError, clientError } from "../client-error.js";
import type { HttpAnswer } from "../http/exchange.js";
import { isRecord, parseJson, readFailure } from "../http/read-failure.js";
import type { Receipt } from "./pending-entry.js";

/** What the gateway said about a batch: the entries it refused by their place, and what holds for the others. */
export interface Verdicts {
  refused: Map<number, ClientError>;
  others: Receipt | ClientError;
}

/** Reads the answer to a batch; an error when it says nothing about single entries. */
export function readVerdicts(answer: HttpAnswer): Verdicts | ClientError {
  const isAccepted = answer.status >= 200 && answer.status < 300;
  const body = parseJson(answer.text);
  const refused = isRecord(body) ? readRefused(body.rejected) : undefined;
  const position = isRecord(body) && typeof body.position === "string" ? body.position : undefined;
  if (isAccepted && refused && position !== undefined) return { refused, others: { position } };
  if (isAccepted) {
    // Whoever answered is not the gateway: claiming the entries were accepted would lose them silently.
    return clientError("unexpected_answer", "The answer to the batch is not one of the gateway.", {
      status: answer.status,
    });
  }
  // A batch of which nothing was accepted is a refusal, in which every entry still has its own verdict.
  const failure = readFailure(answer);
  return answer.status === 400 && refused && refused.size > 0 ? { refused, others: failure } : failure;
}

function readRefused(rejected: unknown): Map<number, ClientError> | undefined {
  if (!Array.isArray(rejected)) return undefined;
  const refused = new Map<number, ClientError>();
  for (const verdict of rejected) {
    if (isRecord(verdict) && typeof verdict.index === "number") {
      refused.set(verdict.index, new ClientError(String(verdict.code), String(verdict.message)));
    }
  }
  return refused;
}
