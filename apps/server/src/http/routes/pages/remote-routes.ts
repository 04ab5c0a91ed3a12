import { randomUUID } from "node:crypto";
import { type Brand, Refusal, typeOfId } from "@muster/protocol";
import { PAGES_API } from "@muster/protocol/api/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { SignIns } from "../../../audience/subjects/sign-ins.js";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import { agreedPurposes } from "../../../domain/identity/consents.js";
import { isBrowserId } from "../../../domain/platforms/browser-claims.js";
import { mayUse } from "../../../domain/platforms/page-origin.js";
import { pageSettings } from "../../../domain/platforms/page-services.js";
import type { Platform } from "../../../domain/platforms/platform.js";
import type { Profile } from "../../../domain/profiles/profile.js";
import type { PlatformServices } from "../../../platforms/open-platforms.js";
import { platformRecord } from "../../../platforms/platform-record.js";
import type { App } from "../../app-type.js";
import { type AuthenticateOptions, authenticateToken } from "../../auth/authenticate.js";
import { type Caller, connectorOf, isEndUser, requireClaims } from "../../auth/caller.js";
import type { BrowserIds, VisitorCookies } from "../../auth/visitor-cookies.js";
import type { PageLimits } from "../../hooks/page-limits.js";
import type { WaitingReaders } from "../../hooks/waiting-readers.js";
import { findMe } from "../audience/find-me.js";
import { meRecord, signInHeaders } from "../audience/me-record.js";
import { requirePlatform } from "../platforms/require-platform.js";
import { domainPatterns, remotePage, remotePolicy } from "./remote-page.js";

export interface RemoteRoutesOptions extends PlatformServices {
  brand: Brand;
  authentication: AuthenticateOptions;
  /** A sign-in waits until its entry is applied, so it counts as a waiting reader. */
  readers: WaitingReaders;
  subjects: Subjects;
  signIns: SignIns;
  visitorCookies: VisitorCookies;
  limits: PageLimits;
}

/** What the old browser library (0.10) loads: a page in a hidden frame, which makes the calls. */
export function remoteRoutes(app: App, options: RemoteRoutesOptions): void {
  const { brand, visitorCookies, platforms, deployments, limits } = options;

  // The old library knows no purposes, so it gets only the connectors that may be embedded for this user, or for everybody.
  const appOf = async ({ caller }: FastifyRequest, platform: Platform, user: Profile | undefined) => ({
    ...platformRecord(platform),
    track_page_inits: platform.settings.track_page_inits === true,
    deployments: (await deployments.list(caller.organization, platform)).filter(
      ({ ship: { purposes } }) =>
        purposes.length === 0 || (user && agreedPurposes(user, purposes).size === purposes.length),
    ),
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
      if (platform) return platform.settings;
      const connector = connectorOf(caller);
      // A token is on a page, and connectors keep notes of their own among their settings.
      return isEndUser(caller) ? pageSettings(connector) : connector.settings;
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
      return { allowed_domains: platform.domains, app: await appOf(request, platform, undefined) };
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
      const { query, caller, headers } = request;
      requireFrame(headers["sec-fetch-dest"]);
      const script = requireScript(query.js, platform, request);
      const isInPlatform = headers.referer !== undefined && mayUse(platform, headers.referer);
      const identify = setIds(visitorCookies, request, reply, isInPlatform);
      const signedIn = await findSignedIn(options, request, platform, isInPlatform);
      const { id, namespace, name } = caller.organization;
      const { html, nonce } = remotePage({
        script,
        brandWord: brand.word,
        config: {
          appId: platform.id,
          appDomains: domainPatterns(platform),
          data: {
            org: { id, namespace, name },
            app: await appOf(request, platform, signedIn?.user),
            ...(await signedInData(options, signedIn)),
          },
          services: await deployments.services(caller.organization),
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

interface SignedIn {
  caller: Caller;
  user: Profile;
}

/**
 * The user of the token that the page gives, else of the session in the cookie. The page of another website gets nobody:
 * it cannot show the frame, but its request has the cookie. A token of a user who is not known yet creates the user, as
 * a sign-in does.
 */
async function findSignedIn(
  { authentication, readers, subjects, signIns, visitorCookies }: RemoteRoutesOptions,
  request: FastifyRequest,
  platform: Platform,
  isInPlatform: boolean,
): Promise<SignedIn | undefined> {
  const { headers, ip, caller: visitor } = request;
  const { access_token: given, url } = request.query as { access_token?: string; url?: string };
  const kept = isInPlatform ? visitorCookies.readToken(request, visitor.organization.id, platform.id) : undefined;
  const token = given ?? kept;
  if (token === undefined) return undefined;
  const caller = await authenticateToken(authentication, { headers, ip }, token, Date.now()).catch((error) => {
    // A session that has ended is as good as none.
    if (given === undefined && error instanceof Refusal && error.status < 500) return undefined;
    throw error;
  });
  const known = caller && (await findMe(subjects, caller));
  if (!caller || known) return known && { caller, user: known };
  const claims = requireClaims(caller);
  if (!isInPlatform || claims.subjectType !== "user") return undefined;
  const user = await readers.count(caller, () =>
    signIns.signIn(caller.organization.id, claims, { url: url ?? null, byEndUser: isEndUser(caller) }),
  );
  return { caller, user };
}

/** What the library keeps of the user: the record, and the signed id for the server of the website. */
async function signedInData({ authentication, subjects }: RemoteRoutesOptions, signedIn: SignedIn | undefined) {
  if (!signedIn) return {};
  const { caller, user } = signedIn;
  const me = await meRecord({ subjects, authentication }, caller, user);
  return { me, headers: signInHeaders(authentication, caller, user.id) };
}

/**
 * The ids of the browser and of the visit. An id in the address becomes a cookie only for a page of the platform: other
 * websites may not show the frame, but they can request it, and would choose the id of the visitor.
 */
function setIds(
  visitorCookies: VisitorCookies,
  request: FastifyRequest,
  reply: FastifyReply,
  isInPlatform: boolean,
): BrowserIds {
  const stored = visitorCookies.storedIds(request);
  const { _bid: browser, _sid: session } = request.query as { _bid?: string; _sid?: string };
  const given = {
    ...(browser !== undefined && isBrowserId(browser) ? { browser } : {}),
    ...(session !== undefined && isBrowserId(session) ? { session } : {}),
  };
  const ids = { browser: randomUUID(), session: randomUUID(), ...stored, ...given };
  const kept = Object.entries(ids).filter(([name]) => isInPlatform || !Object.hasOwn(given, name));
  visitorCookies.writeIds(request, reply, Object.fromEntries(kept));
  return ids;
}
