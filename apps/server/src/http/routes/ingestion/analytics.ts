import { type Brand, isObject, nonEmptyText, Refusal } from "@muster/protocol";
import { ANALYTICS_API } from "@muster/protocol/api/analytics";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { WriteKeys } from "../../../connectors/write-keys.js";
import type { CallType } from "../../../domain/analytics/call-mapping.js";
import type { CallSender } from "../../../domain/analytics/call-sender.js";
import { MAX_CALL_BYTES } from "../../../domain/analytics/read-call.js";
import type { KeyHolder, WriteKey } from "../../../domain/connectors/write-key.js";
import { BatchRefusal } from "../../../domain/entries/batch-refusal.js";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import { mayUse } from "../../../domain/platforms/page-origin.js";
import type { Intake } from "../../../pipeline/accept/intake.js";
import { readBatch } from "../../../pipeline/accept/read-batch.js";
import type { App } from "../../app-type.js";
import { requireEnabled, requireEnabledConnector } from "../../auth/authenticate.js";
import { answerError } from "../../hooks/answer-error.js";
import type { PageLimits } from "../../hooks/page-limits.js";
import { readCompressed } from "../../hooks/read-compressed.js";
import { checkAllButBody } from "./unchecked-body.js";

export interface AnalyticsRoutesOptions {
  writeKeys: Pick<WriteKeys, "find" | "noteUse">;
  intake: Intake;
  limits: PageLimits;
  addresses: Addresses;
  brand: Brand;
  /** Most calls in a batch. */
  maxEntries: number;
}

/** The addresses of calls, each with its type. Browsers use the short ones; a batch says the type of each call. */
const CALLS = {
  identify: { short: "i", type: "identify", summary: "Say who a user is, and set attributes" },
  track: { short: "t", type: "track", summary: "Track an event" },
  page: { short: "p", type: "page", summary: "Track a view of a page" },
  screen: { short: "s", type: "screen", summary: "Track a view of a screen" },
  group: { short: "g", type: "group", summary: "Link a user to an account, and set its attributes" },
  alias: { short: "a", type: "alias", summary: "Give a user a second id" },
  batch: { short: "b", type: undefined, summary: "Send a batch of calls" },
  import: { short: undefined, type: undefined, summary: "Send a batch of calls; the same as /v1/batch" },
} as const;

const NAMES = Object.keys(CALLS) as (keyof typeof CALLS)[];

/** As Segment has it. */
const MAX_BATCH_BYTES = 500 * 1024;
/** Senders call many times a second. A key that another process has removed works here for that time. */
const KEY_MAX_AGE_MS = 1_000;
const PREFLIGHT_SECONDS = 86_400;
const SETTINGS_CACHE = "public, max-age=60";

const DESCRIPTION =
  "It is the dialect that the public analytics libraries speak: point one at this address. The write key is the user name of Basic authentication, or `writeKey` in the body. The body is JSON, whatever its content type says; gzip is read.";

/**
 * The door for the public analytics libraries. Its answers are 200 or an error that the libraries know how to handle: they
 * drop what gets a 4xx other than 429, and send the rest again.
 */
export async function analyticsRoutes(app: App, options: AnalyticsRoutesOptions): Promise<void> {
  await app.register(
    async (door: App) => {
      takeAnyContentType(door);
      letEveryPageRead(door);
      // Segment's limits are answered with 400.
      door.setErrorHandler((error, request, reply) => answerError(tooLargeAsBad(error), request, reply));
      callRoutes(door, options);
      settingsRoute(door, options);
      telemetryRoute(door);
    },
    { prefix: "/v1" },
  );
}

function callRoutes(app: App, options: AnalyticsRoutesOptions): void {
  for (const name of NAMES) {
    const { short, type, summary } = CALLS[name];
    const handler: RouteOptions["handler"] = (request, reply) => accept(options, request, reply, type);
    const route = {
      method: "POST",
      bodyLimit: MAX_BATCH_BYTES,
      config: { access: "writer", takesBytes: true },
      schema: { tags: ["analytics"], summary, description: DESCRIPTION, ...ANALYTICS_API[`POST /v1/${name}`] },
      preParsing: readCompressed,
      validatorCompiler: checkAllButBody(app),
    } as const;
    app.route({ ...route, url: `/${name}`, handler });
    if (short) app.route({ ...route, url: `/${short}`, schema: { ...route.schema, hide: true }, handler });
  }
}

async function accept(
  options: AnalyticsRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  type: CallType | undefined,
): Promise<unknown> {
  const { writeKeys, intake, brand } = options;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const holder = await requireHolder(options, request, body, type);
  const { writeKey, organization } = holder;
  const from = { kind: "calls" as const, sender: senderOf(holder, request), ...(type === undefined ? {} : { type }) };
  const isPage = writeKey.kind === "page";
  // A page could use the key of another visitor, whose calls would then count as sent.
  const idempotencyKey = isPage ? undefined : nonEmptyText(request.headers["idempotency-key"])?.slice(0, 500);
  try {
    const answer = await intake.acceptBatch(organization.id, { from, body, idempotencyKey });
    await writeKeys.noteUse(holder);
    const { position, accepted, rejected } = answer;
    const verdicts = { success: true, accepted, rejected };
    // The position tells how much the organization gets, which is nobody's business on a page.
    if (isPage) return verdicts;
    return reply.header(brand.headers.position, position).send({ ...verdicts, position });
  } catch (error) {
    if (!(error instanceof BatchRefusal)) throw error;
    if (type === undefined) return reply.status(error.status).send(error.body());
    const [{ code, message } = error] = error.rejected;
    throw new Refusal(code === "payload_too_large" ? "bad_request" : code, message);
  }
}

/** Whose key the request carries. Refuses a key that is not for the place that the request comes from, and counts pages. */
async function requireHolder(
  { writeKeys, limits, maxEntries }: AnalyticsRoutesOptions,
  request: FastifyRequest,
  body: Buffer,
  type: CallType | undefined,
): Promise<KeyHolder> {
  const given = keyOfHeader(request);
  const read = given === undefined ? await readBatch(body, maxEntries) : undefined;
  const holder = await requireKey(writeKeys, given ?? keyInBody(read?.envelope));
  const { writeKey, organization } = holder;
  const { ip, headers } = request;
  if (writeKey.kind === "server") {
    refusePages(headers.origin);
    return holder;
  }
  refuseOtherDomains(writeKey, headers.origin);
  const list = type === undefined ? (read ?? (await readBatch(body, maxEntries))).list : undefined;
  limits.countAddress({ caller: { kind: "anonymous", organization }, ip }, Math.max(1, list?.count ?? 1));
  return holder;
}

function senderOf({ writeKey, connector }: KeyHolder, { ip, headers }: FastifyRequest): CallSender {
  const { origin } = headers;
  return {
    connectorId: connector.id,
    writeKey,
    isOnPage: origin !== undefined && mayUse(writeKey, origin),
    ip,
    userAgent: headers["user-agent"],
  };
}

/** What analytics.js asks its content delivery network for. It tells the library to send its calls here. */
function settingsRoute(app: App, { writeKeys, addresses }: AnalyticsRoutesOptions): void {
  app.get(
    "/projects/:key/settings",
    {
      config: { access: "open" },
      schema: {
        tags: ["analytics"],
        summary: "What analytics.js and the mobile libraries ask for before they send",
        ...ANALYTICS_API["GET /v1/projects/{key}/settings"],
      },
    },
    async ({ params: { key } }, reply) => {
      const holder = await writeKeys.find(key, KEY_MAX_AGE_MS);
      // A server key must never be on a page, so a page does not learn that there is one.
      if (holder?.writeKey.kind !== "page") throw new Refusal("not_found", "There is no page key of this text.");
      const { protocol, host, pathname } = new URL(addresses.publicUrl);
      reply.header("cache-control", SETTINGS_CACHE);
      return {
        integrations: {
          "Segment.io": {
            apiKey: key,
            apiHost: `${host}${pathname.replace(/\/$/, "")}/v1`,
            protocol: protocol === "https:" ? ("https" as const) : ("http" as const),
          },
        },
        metrics: { sampleRate: 0 },
        plan: {},
        edgeFunction: {},
        middlewareSettings: {},
      };
    },
  );
}

/** The libraries send figures about themselves, whatever the settings say. They are not kept. */
function telemetryRoute(app: App): void {
  app.post("/m", { config: { access: "open" }, schema: { hide: true } }, async () => ({ success: true }));
}

/** The libraries send JSON as text, as a form or as what it is. */
function takeAnyContentType(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (_request: FastifyRequest, body: Buffer) => body);
}

/**
 * Pages of every domain may read the answers, so that their library learns that its calls are refused, and stops. The answers
 * hold nothing of anybody. A preflight does not name the key, so it is answered for all.
 */
function letEveryPageRead(app: App): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "retry-after",
      "cross-origin-resource-policy": "cross-origin",
    });
  });
  app.options("/*", { config: { access: "open" }, schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": "authorization, content-type, content-encoding, idempotency-key, x-retry-count",
        "access-control-max-age": String(PREFLIGHT_SECONDS),
      })
      .status(204)
      .send(),
  );
}

async function requireKey(writeKeys: Pick<WriteKeys, "find">, key: string | undefined): Promise<KeyHolder> {
  if (key === undefined) {
    throw new Refusal(
      "unauthorized",
      "The request has no write key: send it as the user name of Basic authentication.",
    );
  }
  const holder = await writeKeys.find(key, KEY_MAX_AGE_MS);
  if (!holder) throw new Refusal("unauthorized", "The write key is not valid.");
  requireEnabled(holder.organization);
  requireEnabledConnector(holder.connector);
  return holder;
}

function keyOfHeader({ headers }: FastifyRequest): string | undefined {
  const encoded = /^Basic ([\w+/=-]+)$/i.exec(headers.authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  return nonEmptyText(Buffer.from(encoded, "base64").toString("utf8").split(":")[0]);
}

function keyInBody(envelope: unknown): string | undefined {
  return isObject(envelope) ? nonEmptyText(envelope.writeKey) : undefined;
}

function refusePages(origin: string | undefined): void {
  if (origin === undefined) return;
  throw new Refusal(
    "forbidden",
    "This is a server key, which must stay secret, and the call comes from a page. Everybody can read what is on a page: make a new server key, delete this one, and give the page a page key.",
  );
}

/** An app that is made of pages has an origin that is no website; its calls must name the app. */
function refuseOtherDomains(writeKey: WriteKey, origin: string | undefined): void {
  if (origin === undefined || !/^https?:/i.test(origin) || mayUse(writeKey, origin)) return;
  throw new Refusal(
    "forbidden",
    `Pages of ${origin.slice(0, 200)} may not use this write key: it is for other domains.`,
  );
}

function tooLargeAsBad(error: unknown): unknown {
  if (error instanceof Refusal && error.code === "payload_too_large") return new Refusal("bad_request", error.message);
  const isTooLarge = error instanceof Error && "code" in error && error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
  return isTooLarge
    ? new Refusal("bad_request", `A request has at most ${MAX_BATCH_BYTES} bytes, and a call ${MAX_CALL_BYTES}.`)
    : error;
}
