import { type Context, type IncomingRequest, reply, type StatusAnswer, TransientError, view } from "@muster/connector";
import { performActions, runScript, type SandboxRun, type ScriptInput } from "@muster/sandbox";

const RECENT_KEY = "recent";
const RECENT_CALLS = 10;
const RECENT_MS = 24 * 3_600_000;
// A larger call is mapped all the same, but not kept to try scripts on.
const RECENT_BYTES = 50_000;

// Whatever a script is shown, people who edit it can read.
const HIDDEN_HEADERS = new Set(["authorization", "cookie", "proxy-authorization"]);

/** Maps a webhook by the script, and does what it asks for. */
export async function receive(ctx: Context, request: IncomingRequest): Promise<unknown> {
  const input = inputOf(request);
  await remember(ctx, input);
  const { actions, error } = await runScript(codeOf(ctx), input);
  if (error !== undefined) return refuse(ctx, request, error);
  const { accepted, refused } = await performActions(ctx.client, actions).catch((cause: unknown) => {
    throw new TransientError("Muster cannot take the webhook for now.", { cause });
  });
  if (refused.length > 0) {
    const hull_summary = `Something of a webhook was refused: ${refused[0]}`;
    ctx.client.logger.error("incoming.webhook.refused", { source: input.source, refused, hull_summary });
  }
  return { accepted, refused };
}

/** Runs a script against a call without doing anything. */
export async function preview(ctx: Context, { body }: IncomingRequest): Promise<SandboxRun> {
  const { code, request = {} } = body as { code?: unknown; request?: ScriptInput };
  return runScript(typeof code === "string" ? code : codeOf(ctx), { ...EXAMPLE, ...request });
}

/** The latest calls, to try scripts on. */
export async function recent(ctx: Context): Promise<unknown> {
  return (await ctx.cache.get<ScriptInput[]>(RECENT_KEY)) ?? [];
}

const EXAMPLE = { source: "source", method: "POST", body: { email: "ada@example.com" }, headers: {}, query: {} };

export async function admin(ctx: Context): Promise<unknown> {
  const [latest = EXAMPLE] = (await ctx.cache.get<ScriptInput[]>(RECENT_KEY)) ?? [];
  const token = encodeURIComponent(ctx.token ?? "");
  return view("admin.html", {
    webhookUrl: `${ctx.baseUrl}/webhooks/source?token=${token}`,
    previewUrl: `preview?token=${token}`,
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
  if (JSON.stringify(input).length > RECENT_BYTES) return;
  const known = (await ctx.cache.get<ScriptInput[]>(RECENT_KEY)) ?? [];
  await ctx.cache.set(RECENT_KEY, [input, ...known].slice(0, RECENT_CALLS), RECENT_MS);
}

function inputOf({ params, method, body, headers, query }: IncomingRequest): ScriptInput {
  const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => !HIDDEN_HEADERS.has(name)));
  return { source: params.source, method, body, headers: shown, query };
}

function codeOf({ connector }: Context): string {
  const { code } = connector.private_settings;
  return typeof code === "string" ? code : "";
}
