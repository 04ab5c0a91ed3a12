import { isObject, parseJson } from "@muster/protocol";
import { ClientError, clientError } from "../client-error.js";
import type { HttpAnswer } from "../http/exchange.js";
import { readFailure } from "../http/read-failure.js";
import type { Receipt } from "./pending-entry.js";

/** The gateway's verdicts on a batch: the refused entries by index, and the result of all others. */
export interface Verdicts {
  refused: Map<number, ClientError>;
  others: Receipt | ClientError;
}

/** Reads the answer to a batch; returns an error when the answer holds no verdicts on single entries. */
export function readVerdicts(answer: HttpAnswer): Verdicts | ClientError {
  const isAccepted = answer.status >= 200 && answer.status < 300;
  const body = parseJson(answer.text);
  const refused = isObject(body) ? readRefused(body.rejected) : undefined;
  const position = isObject(body) && typeof body.position === "string" ? body.position : undefined;
  if (isAccepted && refused && position !== undefined) return { refused, others: { position } };
  if (isAccepted) {
    // The answer does not come from the gateway. Treating the entries as accepted would lose them silently.
    return clientError(
      "unexpected_answer",
      "The answer to the batch does not come from Muster's gateway. Check the address.",
      {
        status: answer.status,
      },
    );
  }
  const failure = readFailure(answer);
  if (failure.code !== "batch_refused") return failure;
  // No entry was accepted. The refusal still holds the verdict on every entry, at least in its details.
  return { refused: refused ?? readDetails(failure), others: failure };
}

function readRefused(rejected: unknown): Map<number, ClientError> | undefined {
  if (!Array.isArray(rejected)) return undefined;
  const refused = new Map<number, ClientError>();
  for (const verdict of rejected) {
    if (isObject(verdict) && typeof verdict.index === "number") {
      refused.set(verdict.index, new ClientError(String(verdict.code), String(verdict.message)));
    }
  }
  return refused;
}

function readDetails({ code, details }: ClientError): Map<number, ClientError> {
  const refused = new Map<number, ClientError>();
  for (const detail of details) {
    const index = isObject(detail) ? /^body\.batch\.(\d+)/.exec(String(detail.path))?.[1] : undefined;
    if (isObject(detail) && index !== undefined) {
      refused.set(Number(index), new ClientError(code, String(detail.message)));
    }
  }
  return refused;
}
