import { BrowserError } from "../browser-error.js";
import type { Answer, Request } from "../request.js";
import { serialiseJson } from "../serialise-json.js";
import type { StoredBatch } from "./outbox.js";
import type { Verdict } from "./sender.js";

/** The body of a batch. The server corrects the times of its records by the difference between `sentAt` and its clock. */
export function batchBody({ visitor, records }: StoredBatch, now: number): string {
  const { bid, sid, accessToken } = visitor;
  const at = new Date(now).toISOString();
  return serialiseJson({ bid, sid, access_token: accessToken, timestamp: at, sentAt: at, batch: records });
}

export interface PostOptions {
  request: Request;
  url: string;
  now(): number;
  /** The server does not accept a token any more. */
  onInvalidToken(token: string): void;
}

export async function postBatch(options: PostOptions, batch: StoredBatch): Promise<Verdict> {
  const { request, url, now, onInvalidToken } = options;
  let answer: Answer;
  try {
    answer = await request("POST", url, batchBody(batch, now()));
  } catch {
    return { kind: "again" };
  }
  const { status, retryAfterSeconds, body } = answer;
  if (status >= 200 && status < 300) return { kind: "taken", rejected: [...rejectedOf(body), ...refusedPartsOf(body)] };
  if (status >= 500 || status === 429 || status === 408) {
    const waitMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000;
    return { kind: "again", waitMs, isFault: status === 500 };
  }
  const { accessToken, ...browser } = batch.visitor;
  if ((status === 401 || status === 403) && accessToken !== undefined) {
    onInvalidToken(accessToken);
    // The token has expired while the records waited, or its connector was disabled. The sign-in has added the browser's
    // id to the user's identifiers, so the records reach the user without the token.
    return postBatch(options, { ...batch, visitor: browser });
  }
  return { kind: "never", error: new BrowserError("refused", body.message ?? `The server answered ${status}.`) };
}

function rejectedOf({ rejected }: Answer["body"]): { index: number; message: string }[] {
  return Array.isArray(rejected) ? rejected : [];
}

/** Attributes that the server does not apply, by record. The rest of the record is applied. */
function refusedPartsOf({ refused_attributes: refused }: Answer["body"]): { index: number; message: string }[] {
  const parts = new Map<number, string[]>();
  for (const { index, message } of Array.isArray(refused) ? refused : []) {
    parts.set(index, [...(parts.get(index) ?? []), message]);
  }
  return [...parts].map(([index, messages]) => ({ index, message: messages.join(" ") }));
}
