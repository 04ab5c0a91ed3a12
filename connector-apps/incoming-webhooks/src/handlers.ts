import { type Context, type IncomingRequest, reply, type StatusAnswer, TransientError, view } from "@muster/connector";
import { performActions, type SandboxRun, type ScriptInput } from "@muster/sandbox";
import { runFor } from "./run-for.js";

const RECENT_KEY = "recent";
const RECENT_CALLS = 10;
const RECENT_MS = 24 * 3_600_000;
// A larger call is processed as well, but not stored for the preview.
const RECENT_BYTES = 50_000;

// Everybody who may edit the script can read what it receives, so it does not receive credentials.
const HIDDEN_HEADERS = new Set(["authorization", "cookie", "proxy-authorization"]);

/** Runs the script on a webhook and performs the actions that it asks for. */
export async function receive(ctx: Context, request: IncomingRequest): Promise<unknown> {
  const input = inputOf(request);
  await remember(ctx, input);
  const { actions, error } = await runFor(ctx, codeOf(ctx), input);
  if (error !== undefined) return refuse(ctx, request, error);
  const { accepted, refused } = await performActions(ctx.client, actions).catch((cause: unknown) => {
    throw new TransientError("Muster cannot accept the webhook at the moment.", { cause });
  });
  if (refused.length > 0) {
    const hull_summary = `Muster refused part of a webhook: ${refused[0]}`;
    ctx.client.logger.error("incoming.webhook.refused", { source: input.source, refused, hull_summary });
  }
  return { accepted, refused };
}

/** Runs a script on a call and returns its actions without performing them. */
export async function preview(ctx: Context, { body }: IncomingRequest): Promise<SandboxRun> {
  const { code, request = {} } = body as { code?: unknown; request?: ScriptInput };
  return runFor(ctx, typeof code === "string" ? code : codeOf(ctx), { ...EXAMPLE, ...request });
}

/** The latest calls, for trying scripts. */
export async function recent(ctx: Context): Promise<unknown> {
  return (await ctx.cache.get<ScriptInput[]>(RECENT_KEY)) ?? [];
}

const SOURCE_NAME = /^[\w-][\w.-]{0,59}$/;
const EXAMPLE = { source: "source", method: "POST", body: { email: "ada@example.com" }, headers: {}, query: {} };

/** The address to give to the service that the body names. */
export function address(ctx: Context, { body }: IncomingRequest): unknown {
  const { source } = (body ?? {}) as { source?: unknown };
  if (typeof source !== "string" || !SOURCE_NAME.test(source)) {
    return reply(400, { error: "Give the name of the service as `source`: up to 60 letters, digits, - _ and dots." });
  }
  return { url: ctx.helpers.webhookUrl(`/webhooks/${source}`) };
}

/** The page: the address for the source that the query names, and the preview. */
export async function admin(ctx: Context, { query }: IncomingRequest): Promise<unknown> {
  const [latest = EXAMPLE] = (await ctx.cache.get<ScriptInput[]>(RECENT_KEY)) ?? [];
  const source = SOURCE_NAME.test(String(query.source)) ? String(query.source) : "source";
  return view("admin.html", {
    source,
    webhookUrl: ctx.helpers.webhookUrl(`/webhooks/${source}`),
    token: ctx.token ?? "",
    previewUrl: `preview?token=${encodeURIComponent(ctx.token ?? "")}`,
    code: codeOf(ctx),
    example: JSON.stringify(latest, null, 2),
  });
}

export function status(ctx: Context): StatusAnswer {
  if (codeOf(ctx).trim() !== "") return { status: "ok", messages: [] };
  return { status: "warning", messages: ["There is no script, so webhooks have no effect."] };
}

function refuse(ctx: Context, { params }: IncomingRequest, error: string): unknown {
  const hull_summary = `The script failed on a webhook of ${params.source}: ${error}`;
  ctx.client.logger.error("incoming.webhook.error", { source: params.source, error, hull_summary });
  return reply(422, { error });
}

async function remember(ctx: Context, input: ScriptInput): Promise<void> {
  if (lengthOf(input) > RECENT_BYTES) return;
  const known = (await ctx.cache.get<ScriptInput[]>(RECENT_KEY)) ?? [];
  await ctx.cache.set(RECENT_KEY, [input, ...known].slice(0, RECENT_CALLS), RECENT_MS);
}

function lengthOf(input: ScriptInput): number {
  try {
    return JSON.stringify(input).length;
  } catch {
    // It is nested so deep that it overflows the stack.
    return Infinity;
  }
}

function inputOf({ params, method, body, headers, query }: IncomingRequest): ScriptInput {
  const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => !HIDDEN_HEADERS.has(name)));
  return { source: params.source, method, body, headers: shown, query };
}

function codeOf({ connector }: Context): string {
  const { code } = connector.private_settings;
  return typeof code === "string" ? code : "";
}
