import { randomUUID } from "node:crypto";
import { type Brand, Refusal, typeOfId } from "@muster/protocol";
import { PAGES_API } from "@muster/protocol/api/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import { isBrowserId } from "../../../domain/platforms/browser-claims.js";
import { mayUse } from "../../../domain/platforms/page-origin.js";
import type { Platform } from "../../../domain/platforms/platform.js";
import type { PlatformServices } from "../../../platforms/open-platforms.js";
import { platformRecord } from "../../../platforms/platform-record.js";
import type { App } from "../../app-type.js";
import { type AuthenticateOptions, authenticateToken } from "../../auth/authenticate.js";
import { connectorOf } from "../../auth/caller.js";
import type { PageLimits } from "../../hooks/page-limits.js";
import { findMe } from "../audience/find-me.js";
import { meRecord } from "../audience/me-record.js";
import { requirePlatform } from "../platforms/require-platform.js";
import { domainPatterns, remotePage, remotePolicy } from "./remote-page.js";

export interface RemoteRoutesOptions extends PlatformServices {
  brand: Brand;
  authentication: AuthenticateOptions;
  subjects: Subjects;
  limits: PageLimits;
}

const YEAR_SECONDS = 365 * 24 * 60 * 60;
const SESSION_SECONDS = 30 * 60;

/** What the old browser library (0.10) loads: a page in a hidden frame, which makes the calls. */
export function remoteRoutes(app: App, options: RemoteRoutesOptions): void {
  const { brand, authentication, subjects, platforms, deployments, limits } = options;

  const appOf = async ({ caller }: FastifyRequest, platform: Platform) => ({
    ...platformRecord(platform),
    track_page_inits: platform.settings.track_page_inits === true,
    deployments: await deployments.list(caller.organization, platform),
  });

  app.get(
    "/app/settings",
    {
      config: { access: "subject" },
      schema: {
        tags: ["browser"],
        summary: "The public settings of the platform, or of the connector, that calls",
        ...PAGES_API["GET /api/v1/app/settings"],
      },
    },
    async ({ caller, headers }) => {
      if (caller.kind === "visitor") return caller.platform.settings;
      const id = String(headers[brand.headers.appId.toLowerCase()] ?? "");
      const platform = typeOfId(id) === "platform" ? await platforms.find(caller.organization.id, id) : undefined;
      return platform ? platform.settings : connectorOf(caller).settings;
    },
  );

  app.get(
    "/:id/remote.json",
    {
      config: { access: "anyone" },
      schema: {
        tags: ["browser"],
        summary: "A platform, for the old browser library",
        ...PAGES_API["GET /api/v1/{id}/remote.json"],
      },
    },
    async (request) => {
      limits.countAddress(request);
      const platform = await requirePlatform(platforms, request.params.id, request.caller);
      return { allowed_domains: platform.domains, app: await appOf(request, platform) };
    },
  );

  app.get(
    "/:id/remote.html",
    {
      config: { access: "anyone" },
      schema: {
        tags: ["browser"],
        summary: "The hidden frame of the old browser library",
        ...PAGES_API["GET /api/v1/{id}/remote.html"],
      },
    },
    async (request, reply) => {
      limits.countAddress(request);
      const platform = await requirePlatform(platforms, request.params.id, request.caller);
      const { query, caller, headers, ip } = request;
      requireFrame(headers["sec-fetch-dest"]);
      const script = requireScript(query.js, platform, request);
      const identify = setIds(request, reply, platform);
      const signedIn =
        query.access_token === undefined
          ? undefined
          : await authenticateToken(authentication, { headers, ip }, query.access_token, Date.now());
      const user = signedIn && (await findMe(subjects, signedIn));
      const { id, namespace, name } = caller.organization;
      const { html, nonce } = remotePage({
        script,
        brandWord: brand.word,
        config: {
          appId: platform.id,
          appDomains: domainPatterns(platform),
          data: {
            org: { id, namespace, name },
            app: await appOf(request, platform),
            ...(signedIn && user ? { me: await meRecord({ subjects, authentication }, signedIn, user) } : {}),
          },
          services: { settings: {}, types: {} },
          identify,
          location: { url: query.url ?? null, referer: query.r ?? null },
          batching: { min: 10_000, max: 1, delay: 0 },
          is_admin: false,
        },
      });
      return reply
        .headers({
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": remotePolicy({ platform, host: request.host, nonce }),
          "cache-control": "no-store",
        })
        .removeHeader("x-frame-options")
        .send(html);
    },
  );
}

/** Refuses a browser that opens the page by itself: the cookies of members count there, unlike in a frame of a website. */
function requireFrame(destination: string | string[] | undefined): void {
  if (destination === undefined || destination === "iframe" || destination === "frame") return;
  throw new Refusal("forbidden", "This page is for the hidden frame of the browser library.");
}

/** The script runs with the rights of our origin, so it comes from this server or from a site of the platform. */
function requireScript(address: string | undefined, platform: Platform, { host, protocol }: FastifyRequest): string {
  if (address === undefined)
    throw new Refusal("missing_parameters", "query.js is required: the address of the script.");
  try {
    const script = new URL(address, `${protocol}://${host}`);
    const isHttp = script.protocol === "http:" || script.protocol === "https:";
    if (isHttp && (script.host === host || mayUse(platform, script.origin))) return script.href;
  } catch {
    // Answered below.
  }
  throw new Refusal("forbidden", "js must be the address of a script on a domain of the platform.");
}

/**
 * The ids of the browser and of the visit. Cookies of a frame need `SameSite=None`, which browsers accept with https only.
 * An id in the address becomes a cookie only for a page of the platform: other websites may not show the frame, but they
 * can request it, and would choose the id of the visitor.
 */
function setIds(request: FastifyRequest, reply: FastifyReply, platform: Platform) {
  const stored = cookiesOf(request);
  const query = request.query as { _bid?: string; _sid?: string };
  const isSecure = request.protocol === "https";
  const isOfPlatform = request.headers.referer !== undefined && mayUse(platform, request.headers.referer);
  const idOf = (name: "_bid" | "_sid", seconds: number): string => {
    const [given, kept] = [query[name], stored.get(name)].map((id) => (id && isBrowserId(id) ? id : undefined));
    const id = given ?? kept ?? randomUUID();
    const site = isSecure ? "SameSite=None; Secure" : "SameSite=Lax";
    if (given === undefined || isOfPlatform) {
      reply.header("set-cookie", `${name}=${id}; Path=/; Max-Age=${seconds}; HttpOnly; ${site}`);
    }
    return id;
  };
  return { browser: idOf("_bid", YEAR_SECONDS), session: idOf("_sid", SESSION_SECONDS) };
}

function cookiesOf({ headers }: FastifyRequest): Map<string, string> {
  const parts = (headers.cookie ?? "").split(";").map((part) => part.trim().split("="));
  return new Map(parts.map(([name = "", value = ""]) => [name, value]));
}
