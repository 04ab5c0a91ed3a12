import { createHmac } from "node:crypto";
import { type Context, createHttp, RateLimitError, type Report, TransientError } from "@muster/connector";
import { firstBytes, HOUR_MS } from "@muster/protocol";
import type { Delivery } from "./deliveries.js";
import { renderTemplate } from "./render-template.js";
import type { Settings } from "./settings.js";

// Enough concurrent calls for a slow receiver, and few enough not to overload a small receiver.
const CONCURRENCY = 5;
// Longer than Muster waits before it sends a message again.
const REMEMBER_MS = HOUR_MS;
// Enough to recognize an answer. Tens of thousands may be remembered.
const REMEMBERED_BODY_BYTES = 256;
const DEFAULT_WAIT_SECONDS = 60;

/** What the URL answered to each call, and an error when some of the calls must be repeated. */
export interface Sent {
  answers: ReadonlyMap<Delivery, Report>;
  failure: unknown;
}

/** A call that has ended. It must be repeated if it has a failure. */
interface EndedCall {
  report: Report;
  failure?: Error;
}

/** Makes all calls. A call that was answered for good is not made again when the messages are repeated. */
export async function sendAll(ctx: Context, settings: Settings, deliveries: readonly Delivery[]): Promise<Sent> {
  const waiting = [...deliveries];
  const answers = new Map<Delivery, Report>();
  let failure: unknown;
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const ended = await sendOnce(ctx, settings, next);
      answers.set(next, ended.report);
      failure ??= ended.failure;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (failure === undefined) await forgetRefused(ctx, answers);
  return { answers, failure };
}

/** The messages are reported now. Somebody who mends the endpoint and retries a refused message wants another call. */
async function forgetRefused(ctx: Context, answers: ReadonlyMap<Delivery, Report>): Promise<void> {
  for (const [{ id }, { result }] of answers) if (result === "refused") await ctx.cache.del(keyOf(id));
}

function keyOf(deliveryId: string): string {
  return `sent:${deliveryId}`;
}

async function sendOnce(ctx: Context, settings: Settings, delivery: Delivery): Promise<EndedCall> {
  const key = keyOf(delivery.id);
  const known = await ctx.cache.get<Report>(key);
  if (known) return { report: known };
  const ended = await send(ctx, settings, delivery);
  if (!ended.failure) await ctx.cache.set(key, remembered(ended.report), REMEMBER_MS);
  return ended;
}

function remembered({ body, ...report }: Report): Report {
  return body === undefined ? report : { ...report, body: firstBytes(body, REMEMBERED_BODY_BYTES) };
}

async function send(ctx: Context, settings: Settings, { id, payload }: Delivery): Promise<EndedCall> {
  const { url, headers, signingSecret, template } = settings;
  const body = JSON.stringify(template === undefined ? payload : renderTemplate(template, payload));
  const request = createHttp(ctx)
    .post(url)
    .set({ "content-type": "application/json", ...headers, "x-delivery-id": id })
    .redirects(0)
    // A redirect is a failure: the address has not accepted the call.
    .ok(({ status }) => status < 300)
    .send(body);
  if (signingSecret) request.set("x-signature", sign(body, signingSecret, Date.now()));
  try {
    const { status } = await request;
    return { report: { result: "accepted", status } };
  } catch (error) {
    return afterFailure(ctx, payload.kind, error);
  }
}

/** `t=<unix time>,v1=<hex>`: the signature covers the time, so that an old call cannot be replayed. */
export function sign(body: string, secret: string, nowMs: number): string {
  const time = Math.floor(nowMs / 1_000);
  return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
}

/** An error of a call, as the HTTP client throws it. */
interface CallError {
  status?: number;
  message: string;
  response?: { headers: Record<string, string>; text?: string };
}

/** Decides whether a call that failed is repeated later. A final answer is logged. */
function afterFailure(ctx: Context, kind: string, error: unknown): EndedCall {
  const { status, response } = error as CallError;
  const text = response?.text ?? "";
  const answer = { ...(status === undefined ? {} : { status }), ...(text === "" ? {} : { body: text }) };
  const failure = error instanceof TransientError ? error : againAfter(error as CallError);
  if (failure) return { report: { result: "retried", reason: failure.message, ...answer }, failure };
  const reason = `The URL refused a call (${kind}) with status ${status}.`;
  ctx.client.logger.error("outgoing.webhook.error", { kind, status, hull_summary: reason });
  return { report: { result: "refused", reason, ...answer } };
}

/** The error that has a call repeated later; undefined when the answer is final. */
function againAfter(error: CallError): TransientError | undefined {
  const { status, response, message } = error;
  if (status === 429) {
    const seconds = Number(response?.headers["retry-after"] ?? DEFAULT_WAIT_SECONDS) || DEFAULT_WAIT_SECONDS;
    return new RateLimitError("The URL answered that there are too many calls.", {
      clearsAt: new Date(Date.now() + seconds * 1_000),
    });
  }
  if (status === undefined || status >= 500 || status === 408) {
    return new TransientError(`The URL does not work at the moment: ${message}`, { cause: error });
  }
  return undefined;
}
