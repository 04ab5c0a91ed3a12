import { createHmac } from "node:crypto";
import { type Context, createHttp, RateLimitError, TransientError } from "@muster/connector";
import { HOUR_MS } from "@muster/protocol";
import type { Delivery } from "./deliveries.js";
import { renderTemplate } from "./render-template.js";
import type { Settings } from "./settings.js";

// Enough concurrent calls for a slow receiver, and few enough not to overload a small receiver.
const CONCURRENCY = 5;
// Longer than Muster waits before it sends a message again.
const REMEMBER_MS = HOUR_MS;
const DEFAULT_WAIT_SECONDS = 60;

/** Makes all calls. Rejects when one of them must be repeated. A repetition leaves out the calls that succeeded. */
export async function sendAll(ctx: Context, settings: Settings, deliveries: readonly Delivery[]): Promise<void> {
  const waiting = [...deliveries];
  const failures: unknown[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await sendOnce(ctx, settings, next).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (failures.length > 0) throw failures[0];
}

async function sendOnce(ctx: Context, settings: Settings, delivery: Delivery): Promise<void> {
  const key = `sent:${delivery.id}`;
  if (await ctx.cache.get(key)) return;
  await send(ctx, settings, delivery);
  await ctx.cache.set(key, true, REMEMBER_MS);
}

async function send(ctx: Context, settings: Settings, { id, payload }: Delivery): Promise<void> {
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
    await request;
  } catch (error) {
    if (error instanceof TransientError) throw error;
    handleFailure(ctx, payload.kind, error);
  }
}

/** `t=<unix time>,v1=<hex>`: the signature covers the time, so that an old call cannot be replayed. */
export function sign(body: string, secret: string, nowMs: number): string {
  const time = Math.floor(nowMs / 1_000);
  return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
}

/** Handles a failed call: throws when it must be repeated later, logs it when the answer is final. */
function handleFailure(ctx: Context, kind: string, error: unknown): void {
  const { status, response } = error as { status?: number; response?: { headers: Record<string, string> } };
  if (status === 429) {
    const seconds = Number(response?.headers["retry-after"] ?? DEFAULT_WAIT_SECONDS) || DEFAULT_WAIT_SECONDS;
    throw new RateLimitError("The URL answered that there are too many calls.", {
      clearsAt: new Date(Date.now() + seconds * 1_000),
    });
  }
  if (status === undefined || status >= 500 || status === 408) {
    throw new TransientError(`The URL does not work at the moment: ${(error as Error).message}`, { cause: error });
  }
  ctx.client.logger.error("outgoing.webhook.error", {
    kind,
    status,
    hull_summary: `The URL refused a call (${kind}) with status ${status}.`,
  });
}
