import { isObject, Refusal, type VerifiedClaims } from "@muster/protocol";
import { SUBJECTS_API } from "@muster/protocol/api/subjects";
import type { FastifyRequest } from "fastify";
import type { SignIns } from "../../../audience/subjects/sign-ins.js";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import { isBrowserId } from "../../../domain/platforms/browser-claims.js";
import { mayUse } from "../../../domain/platforms/page-origin.js";
import type { Platform } from "../../../domain/platforms/platform.js";
import type { Platforms } from "../../../platforms/platforms.js";
import type { App } from "../../app-type.js";
import { type AuthenticateOptions, authenticateToken } from "../../auth/authenticate.js";
import { isEndUser, requireClaims } from "../../auth/caller.js";
import { headerOf, isPlatformId } from "../../auth/request-head.js";
import { isFromOwnOrigin } from "../../auth/require-own-page.js";
import type { VisitorCookies } from "../../auth/visitor-cookies.js";
import type { PageLimits } from "../../hooks/page-limits.js";
import type { WaitingReaders } from "../../hooks/waiting-readers.js";
import { meRecord, signInHeaders } from "../audience/me-record.js";

export interface UserSessionRoutesOptions {
  authentication: AuthenticateOptions;
  /** A sign-in waits until its entry is applied, so it counts as a waiting reader. */
  readers: WaitingReaders;
  subjects: Subjects;
  signIns: SignIns;
  platforms: Platforms;
  visitorCookies: VisitorCookies;
  limits: PageLimits;
}

const FORM = "application/x-www-form-urlencoded";
const BODY_LIMIT_BYTES = 128 * 1024;

/**
 * Signing users in and out. The old browser library calls these from its frame; when the browser gives the frame no
 * cookies, it sends a form and follows a redirection. A redirection leads to a domain of the platform and nowhere else.
 */
export async function userSessionRoutes(app: App, options: UserSessionRoutesOptions): Promise<void> {
  await app.register(async (scope: App) => {
    scope.addContentTypeParser(FORM, { parseAs: "string" }, async (_request: FastifyRequest, body: string) =>
      Object.fromEntries(new URLSearchParams(body)),
    );
    signInRoutes(scope, options);
  });
  refusedRoutes(app);
}

function signInRoutes(app: App, options: UserSessionRoutesOptions): void {
  const { authentication, readers, subjects, signIns, platforms, visitorCookies, limits } = options;
  const { brand } = authentication;

  /** The platform that the old library names in a call from its frame. */
  const platformOfFrame = async (request: FastifyRequest): Promise<Platform[]> => {
    const id = headerOf(request, brand.headers.appId);
    if (!isPlatformId(id) || !isFromOwnOrigin(request)) return [];
    const platform = await platforms.find(request.caller.organization.id, id);
    return platform ? [platform] : [];
  };

  /** The platforms that pages of an address may use. Refuses an address that is on none. */
  const platformsOfPage = async (request: FastifyRequest, address: string | undefined): Promise<Platform[]> => {
    limits.countAddress(request);
    const all = await platforms.list(request.caller.organization.id);
    const found = all.filter((platform) => address !== undefined && mayUse(platform, address));
    if (found.length > 0) return found;
    throw new Refusal("forbidden", `"${String(address).slice(0, 200)}" is not on a domain of a platform.`);
  };

  app.post(
    "/users/login",
    {
      config: { access: "anyone" },
      bodyLimit: BODY_LIMIT_BYTES,
      preValidation: refusePassword,
      schema: {
        tags: ["tracking"],
        summary: "Sign a user in with a token",
        description: `A call from the frame of the old browser library also begins a session, which is in a cookie for the platform. The body may be a form (\`${FORM}\`) of a page of a platform: then the answer leads to \`redirect_url\`.`,
        ...SUBJECTS_API["POST /api/v1/users/login"],
      },
    },
    async (request, reply) => {
      const { headers, ip, body } = request;
      const isForm = headers["content-type"]?.startsWith(FORM) ?? false;
      // A form of another website could sign a visitor in as somebody else.
      const sites = isForm ? await platformsOfPage(request, headers.origin) : await platformOfFrame(request);
      const target = isForm ? body.redirect_url : undefined;
      if (target !== undefined && !sites.some((platform) => mayUse(platform, target))) {
        throw new Refusal("forbidden", "body.redirect_url is not on a domain of the platform.");
      }
      const caller = await authenticateToken(authentication, { headers, ip }, body.access_token, Date.now());
      const url = headers["x-track-url"] ?? target;
      const claims = withBrowser(requireClaims(caller), sites, headerOf(request, brand.headers.browserId));
      const user = await readers.count(caller, () =>
        signIns.signIn(caller.organization.id, claims, {
          url: typeof url === "string" ? url : null,
          byEndUser: isEndUser(caller),
        }),
      );
      const me = await meRecord({ subjects, authentication }, caller, user);
      const { access_token: token } = me;
      for (const { id: platformId } of sites) {
        if (token === null) break;
        const session = { organizationId: caller.organization.id, platformId, token, isInFrame: !isForm };
        visitorCookies.writeToken(request, reply, session);
      }
      reply.headers(signInHeaders(authentication, caller, user.id));
      return target === undefined ? me : reply.redirect(new URL(target).href, 303);
    },
  );

  app.get(
    "/logout",
    {
      config: { access: "anyone" },
      schema: {
        tags: ["tracking"],
        summary: "Sign out",
        description:
          "It ends the session of the old browser library, which is in a cookie, and with `redirect_url` leads there. The server stores no tokens: one that somebody keeps is good until it expires.",
        ...SUBJECTS_API["GET /api/v1/logout"],
      },
    },
    async (request, reply) => {
      const { redirect_url: target } = request.query;
      const sites = target === undefined ? await platformOfFrame(request) : await platformsOfPage(request, target);
      // The library would keep what the hook has signed.
      reply.removeHeader(brand.headers.userId).removeHeader(brand.headers.userSignature);
      const ids = sites.map(({ id }) => id);
      if (ids.length > 0) visitorCookies.clear(request, reply, ids);
      return target === undefined ? { signed_out: true as const } : reply.redirect(new URL(target).href, 303);
    },
  );
}

/** What a browser did before a sign-in belongs to the user. */
function withBrowser(
  claims: VerifiedClaims,
  sites: readonly Platform[],
  browserId: string | undefined,
): VerifiedClaims {
  const isKnown = sites.length > 0 && browserId !== undefined && isBrowserId(browserId);
  if (!isKnown || claims.subjectType !== "user") return claims;
  return { ...claims, asUser: { anonymous_id: browserId, ...claims.asUser } };
}

async function refusePassword({ body }: FastifyRequest): Promise<void> {
  if (!isObject(body) || body.access_token !== undefined || body.password === undefined) return;
  throw new Refusal("bad_request", `Users have no passwords here. ${INSTEAD}`);
}

const INSTEAD = "Let your server sign a token, and sign the user in with it: login({access_token}).";

/** What the old library offers and Muster does not do: the website knows its users, and has their passwords. */
const REFUSED = {
  "/users": "Users do not sign up here.",
  "/users/request_password_reset": "Users have no passwords here.",
  "/users/request_confirmation_email": "Addresses of users are not confirmed here.",
};

function refusedRoutes(app: App): void {
  for (const [path, reason] of Object.entries(REFUSED)) {
    // A GET of /users is answered with the routes that exist.
    const config = { access: "anyone", leavesOtherMethods: true } as const;
    app.post(path, { config, schema: { hide: true } }, async () => {
      throw new Refusal("bad_request", `${reason} ${INSTEAD}`);
    });
  }
}
