import { createHmac, randomUUID } from "node:crypto";
import { type Brand, DAY_MS, openSealedText, peekToken, sealText } from "@muster/protocol";
import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isBrowserId } from "../../domain/platforms/browser-claims.js";
import { isSecure } from "./is-secure.js";
import { isPlatformId, type OfferedUser } from "./request-head.js";
import { isFromOwnOrigin } from "./require-own-page.js";

export interface VisitorCookiesOptions {
  brand: Brand;
  publicUrl: string;
  secretKey: string;
  /** Days after a sign-in for which the session lasts at most. */
  userTokenMaxDays: number;
}

/** The ids of a browser and of a visit. */
export interface BrowserIds {
  browser: string;
  session: string;
}

/** A session of a user on a platform. */
export interface UserSession {
  organizationId: string;
  platformId: string;
  token: string;
  /** Whether it begins in the frame of the library, on a page of the platform. */
  isInFrame: boolean;
}

const DAY_SECONDS = DAY_MS / 1_000;
const BROWSER_SECONDS = 365 * DAY_SECONDS;
const VISIT_SECONDS = 30 * 60;
/** The beginning of the names of cookies that count only within the site around the frame. */
const PARTITIONED = "__Host-muster_site_user_";

/**
 * The cookies of visitors with the old browser library: the ids of the browser and of the visit, and the session of the
 * user. The library calls us from a frame in pages of other sites, so they are sent with requests of other sites too
 * (`SameSite=None`, which browsers take with https only). Therefore a call counts them only when it comes from our own
 * origin, where the frame is, and names the platform in a header, which no form and no image of another site can send.
 * The session is sealed for one platform of one organization.
 */
export class VisitorCookies {
  readonly #options: VisitorCookiesOptions;
  readonly #key: Buffer;

  constructor(options: VisitorCookiesOptions) {
    this.#options = options;
    this.#key = createHmac("sha256", options.secretKey).update("muster sessions of users").digest();
  }

  /** The user of the cookies, for a call from our own origin. */
  offeredUser(request: FastifyRequest): OfferedUser | undefined {
    if (request.headers.cookie === undefined || !isFromOwnOrigin(request)) return undefined;
    return {
      token: (organizationId, platformId) => this.readToken(request, organizationId, platformId),
      signed: (appId) => cookiesOf(request)[this.#signedName(appId)],
    };
  }

  /**
   * Adds the ids of the browser and of the visit to a call that has none: after a sign-out, the old library sends the
   * platform alone. They are those of the cookies, or new ones.
   */
  addIds(request: FastifyRequest, reply: FastifyReply): void {
    const { headers } = request;
    const { appId, accessToken, browserId, sessionId } = this.#options.brand.headers;
    const given = headers[appId.toLowerCase()];
    if (typeof given !== "string" || !isPlatformId(given) || headers[browserId.toLowerCase()] !== undefined) return;
    const stored = isFromOwnOrigin(request) ? this.storedIds(request) : {};
    if (stored.browser === undefined && headers[accessToken.toLowerCase()] !== undefined) return;
    const ids = { browser: stored.browser ?? randomUUID(), session: stored.session ?? randomUUID() };
    headers[browserId.toLowerCase()] = ids.browser;
    headers[sessionId.toLowerCase()] ??= ids.session;
    if (stored.browser === undefined) this.writeIds(request, reply, ids);
  }

  /** The ids in the cookies, as far as there are any. */
  storedIds(request: FastifyRequest): Partial<BrowserIds> {
    const { _bid: browser, _sid: session } = cookiesOf(request);
    return {
      ...(browser !== undefined && isBrowserId(browser) ? { browser } : {}),
      ...(session !== undefined && isBrowserId(session) ? { session } : {}),
    };
  }

  writeIds(request: FastifyRequest, reply: FastifyReply, { browser, session }: Partial<BrowserIds>): void {
    if (browser !== undefined) this.#set(request, reply, "_bid", browser, BROWSER_SECONDS);
    if (session !== undefined) this.#set(request, reply, "_sid", session, VISIT_SECONDS);
  }

  /** The token of a user's session on a platform. The caller must know that the request comes from a page of it. */
  readToken(request: FastifyRequest, organizationId: string, platformId: string): string | undefined {
    const cookies = cookiesOf(request);
    const tokens = this.#namesFor(request, platformId).flatMap((name) => {
      const sealed = cookies[name];
      try {
        if (sealed === undefined) return [];
        return openSealedText(Buffer.from(sealed, "base64url"), this.#key, contextOf(organizationId, platformId));
      } catch {
        return [];
      }
    });
    return tokens.sort((one, other) => issuedAt(other) - issuedAt(one))[0];
  }

  /**
   * Begins a session of a user on a platform. In the frame of the library it has a second cookie, for the site around the
   * frame alone: browsers take it that take no others from a frame.
   */
  writeToken(request: FastifyRequest, reply: FastifyReply, session: UserSession): void {
    const { organizationId, platformId, token, isInFrame } = session;
    const sealed = sealText(token, this.#key, contextOf(organizationId, platformId)).toString("base64url");
    const seconds = this.#options.userTokenMaxDays * DAY_SECONDS;
    const names = this.#namesFor(request, platformId);
    for (const name of isInFrame ? names : names.slice(0, 1)) this.#set(request, reply, name, sealed, seconds);
  }

  /** Ends the sessions on platforms, and the visit: the next visitor with this browser may be another person. */
  clear(request: FastifyRequest, reply: FastifyReply, platformIds: readonly string[]): void {
    // A website on our own host has the signed id in a cookie that we get, too.
    const names = platformIds.flatMap((id) => [...this.#namesFor(request, id), this.#signedName(id)]);
    for (const name of [...names, "_bid", "_sid"]) {
      this.#set(request, reply, name, "", 0);
    }
  }

  #set(request: FastifyRequest, reply: FastifyReply, name: string, value: string, maxAge: number): void {
    const secure = this.#isSecure(request);
    const sameSite = secure ? "none" : "lax";
    const partitioned = name.startsWith(PARTITIONED);
    const attributes = { path: "/", httpOnly: true, sameSite, secure, partitioned, maxAge } as const;
    reply.header("set-cookie", stringifySetCookie({ name, value, ...attributes }));
    reply.header("cache-control", "no-store");
  }

  /** With the prefix, a browser takes the cookie from this very host alone, and not from a neighbour under its domain. */
  #namesFor(request: FastifyRequest, platformId: string): string[] {
    if (!this.#isSecure(request)) return [`muster_user_${platformId}`];
    return [`__Host-muster_user_${platformId}`, `${PARTITIONED}${platformId}`];
  }

  /** The cookie in which the old library keeps the signed id of the user. */
  #signedName(appId: string): string {
    return `${this.#options.brand.word.toLowerCase()}_${appId}`;
  }

  #isSecure(request: FastifyRequest): boolean {
    return isSecure(request, this.#options.publicUrl);
  }
}

/** A sign-in by a form writes one of the two cookies only, so the later one counts. */
function issuedAt(token: string): number {
  return Number(peekToken(token)?.iat ?? 0);
}

function contextOf(organizationId: string, platformId: string): string {
  return `session of a user of ${organizationId} ${platformId}`;
}

function cookiesOf({ headers }: FastifyRequest): Record<string, string | undefined> {
  return headers.cookie === undefined ? {} : parseCookie(headers.cookie);
}
