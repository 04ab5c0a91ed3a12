import { byteLength } from "./serialise-json.js";

/** What the server answered. `body` is empty when the answer is not JSON. */
export interface Answer {
  status: number;
  retryAfterSeconds: number | undefined;
  body: { message?: string; [field: string]: unknown };
}

/** Rejects when there is no answer. */
export type Request = (method: "GET" | "POST", url: string, text?: string) => Promise<Answer>;

// Long, because a connection may be slow or the server under load: a retry would only add to the load.
const TIME_LIMIT_MS = 30_000;
/** A browser refuses to keep requests with more than 64 KB alive after their page. */
const MAX_KEPT_ALIVE_BYTES = 60_000;

/**
 * Calls the server. A text is sent as `text/plain`: any other type needs a CORS preflight, which costs a round trip and is
 * not possible while a page unloads. Scripts of the page may have replaced `fetch` by something that fails, so
 * `XMLHttpRequest` is the fallback.
 */
export const request: Request = async (method, url, text) => {
  try {
    return await byFetch(method, url, text);
  } catch (error) {
    // A server that is too slow gets no second request.
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    return byXhr(method, url, text);
  }
};

async function byFetch(method: string, url: string, text: string | undefined): Promise<Answer> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIME_LIMIT_MS);
  try {
    // Without a prototype, so that `fetch` reads no option that a script has added to `Object.prototype`.
    const options: RequestInit = Object.assign(Object.create(null), {
      method,
      body: text,
      keepalive: text !== undefined && byteLength(text) <= MAX_KEPT_ALIVE_BYTES,
      credentials: "omit",
      mode: "cors",
      signal: stop.signal,
    });
    const answer = await window.fetch(url, options);
    return answerOf(answer.status, answer.headers.get("retry-after"), await answer.text());
  } finally {
    clearTimeout(timer);
  }
}

function byXhr(method: string, url: string, text: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open(method, url);
    call.timeout = TIME_LIMIT_MS;
    call.onload = () => resolve(answerOf(call.status, call.getResponseHeader("retry-after"), call.responseText));
    call.onerror = () => reject(new Error("no answer"));
    call.ontimeout = call.onerror;
    call.send(text);
  });
}

function answerOf(status: number, retryAfter: string | null, text: string): Answer {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return { status, retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined, body: parsed(text) };
}

function parsed(text: string): Answer["body"] {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
