import { createHash, randomBytes } from "node:crypto";
import { HOUR_MS, reasonOf } from "@muster/protocol";
import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from "express";
import { Passport, type Strategy } from "passport";
import { PAGE_HEADERS } from "../app/page-headers.js";
import type { Context } from "../context/context.js";
import type { TokenUse } from "../context/request-token.js";

/** What the strategy received from the third party. */
export interface AuthorizedAccount {
  accessToken: string;
  refreshToken: string | undefined;
  /** The rest of the answer to the token request. */
  params: Record<string, unknown>;
  profile: unknown;
}

/** A request to one of the routes of the authorization. */
export interface OAuthRequest extends Request {
  ctx: Context;
  /** Set by `onLogin`: parameters for the strategy's `authenticate`. */
  authParams?: Record<string, unknown>;
  /** Set after the third party has agreed. */
  account?: AuthorizedAccount;
}

type PassportStrategy = new (options: never, verify: never) => Strategy;

export interface OAuthOptions {
  /** The name of the third party, as people see it. */
  name: string;
  /** A Passport strategy of the OAuth kind. */
  Strategy: PassportStrategy;
  /** What the strategy is made with: `clientID`, `clientSecret`, `scope`, … */
  options: Readonly<Record<string, unknown>>;
  /** Files in `views` for the four screens. */
  views: { login: string; home: string; failure: string; success: string };
  /**
   * Put the token in the callback's address. Set it to false for services that compare the address exactly; they send
   * the token back as `state`. Default true.
   */
  tokenInUrl?: boolean;
  /** Resolve when the connector is set up, to show `home`; reject to show `login`. The value is the data of the view. */
  isSetup?(request: OAuthRequest): Promise<Record<string, unknown> | undefined>;
  /** Called before the person is sent to the third party; may set `authParams`. */
  onLogin?(request: OAuthRequest): Promise<unknown>;
  /** Called after the third party has agreed: store the tokens of `request.account` here. */
  onAuthorize?(request: OAuthRequest): Promise<unknown>;
}

const PATHS = { login: "/login", success: "/success", failure: "/failure", home: "/" };
const CALLBACK_PATH = "/callback";
/**
 * An authorization ends in the browser in which it started. Otherwise a person could be sent to a callback that stores the
 * tokens of somebody else, and the third party could use the token that it was given.
 */
const COOKIE = "muster_oauth";

export interface OAuthParts {
  /** The context of a request to one of the pages. */
  contextOf(request: Request): Promise<Context>;
  /** The context of a request with a token for this use. Rejects when the token is for another one. */
  contextForUse(request: Request, token: unknown, use: TokenUse): Promise<Context>;
  signToken(ctx: Context, use: TokenUse): string;
}

/** The routes of an authorization: home, login, the third party, callback, success or failure. */
export function oAuthRouter(parts: OAuthParts, given: OAuthOptions): Router {
  const { name, views, tokenInUrl = true, isSetup, onLogin, onAuthorize } = given;
  checkViews(views);
  // A separate instance: the default one is shared by all code in the process that uses Passport.
  const passport = new Passport();
  const strategy = createStrategy(given);
  passport.use(name, strategy);
  const show = (request: OAuthRequest, response: Response, page: string, data: Record<string, unknown> = {}) =>
    response.set(PAGE_HEADERS).render(page, { name, urls: urlsOf(request), connector: request.ctx.connector, ...data });

  const authorize: RequestHandler = (request, response, next) => {
    const oauth = asOAuth(request);
    // The third party compares the two addresses of an authorization, so the callback uses the token that it came with.
    const token = tokenOf(request) ?? parts.signToken(oauth.ctx, useIn(startedIn(oauth, response)));
    const params = {
      ...oauth.authParams,
      state: token,
      callbackURL: urlOf(oauth, CALLBACK_PATH, tokenInUrl ? token : undefined),
      failureRedirect: urlOf(oauth, PATHS.failure),
    };
    passport.authorize(name, params)(request, response, next);
  };

  const router = Router();
  router.use(passport.initialize(), express.urlencoded({ extended: true }), attachContext(parts));
  router.get(PATHS.home, async (request, response) => {
    const oauth = asOAuth(request);
    const state = await (isSetup?.(oauth) ?? Promise.resolve(undefined)).then(
      (data) => ({ page: views.home, data }),
      (data: unknown) => ({ page: views.login, data: data instanceof Error ? { error: data.message } : data }),
    );
    // A rejection may hold data for the view, or an error.
    show(oauth, response, state.page, (state.data ?? {}) as Record<string, unknown>);
  });
  router.all(
    PATHS.login,
    async (request, _response, next) => {
      await onLogin?.(asOAuth(request));
      next();
    },
    authorize,
  );
  router.get(CALLBACK_PATH, authorize, async (request, response) => {
    await onAuthorize?.(asOAuth(request));
    response.redirect(urlOf(asOAuth(request), PATHS.success));
  });
  router.get(PATHS.success, (request, response) => show(asOAuth(request), response, views.success));
  router.get(PATHS.failure, (request, response) =>
    show(asOAuth(request), response, views.failure, { error: request.query.error }),
  );
  router.use(((error: unknown, request, response, next) => {
    // Without a context no page can be shown, so the application answers.
    if (!("ctx" in request)) return next(error);
    const oauth = asOAuth(request);
    oauth.ctx.client.logger.error("connector.oauth.error", { error: reasonOf(error) });
    show(oauth, response.status(500), views.failure, { error: reasonOf(error) });
  }) as ErrorRequestHandler);
  return router;
}

function createStrategy({ Strategy, options }: OAuthOptions): Strategy {
  const verify = (_request: Request, accessToken: string, refreshToken: string, ...rest: unknown[]) => {
    // Some strategies leave out the rest of the answer to the token request.
    const done = rest.pop() as (error: unknown, account: AuthorizedAccount) => void;
    const profile = rest.pop();
    const params = (rest.pop() ?? {}) as Record<string, unknown>;
    done(null, { accessToken, refreshToken, params, profile });
  };
  // Every strategy has its own options; the author gives those of the chosen strategy. Passport counts the parameters of
  // `verify` to know whether to pass the rest of the answer to the token request.
  const withParams = Object.defineProperty(verify, "length", { value: 6 });
  return new Strategy({ ...options, passReqToCallback: true } as never, withParams as never);
}

function attachContext({ contextOf, contextForUse }: OAuthParts): RequestHandler {
  return async (request: Request, _response: Response, next: NextFunction) => {
    const ctx = isCallback(request)
      ? await contextForUse(request, tokenOf(request), useIn(readBrowserKey(request)))
      : await contextOf(request);
    Object.assign(request, { ctx });
    next();
  };
}

/** The token that came back with the third party's answer: in the address, or as `state`. */
function tokenOf(request: Request): string | undefined {
  const token = request.query.token ?? request.query.state;
  return isCallback(request) && typeof token === "string" ? token : undefined;
}

/** Whether the request is for the callback, in all the spellings that Express accepts. */
function isCallback({ path }: Request): boolean {
  return path.replace(/\/$/, "").toLowerCase() === CALLBACK_PATH;
}

/** The key of the browser in which an authorization starts, kept in a cookie. */
function startedIn({ ctx, headers }: OAuthRequest, response: Response): string {
  const key = readBrowserKey({ headers }) ?? randomBytes(24).toString("base64url");
  response.cookie(COOKIE, key, {
    httpOnly: true,
    sameSite: "lax",
    secure: ctx.baseUrl.startsWith("https:"),
    maxAge: HOUR_MS,
  });
  return key;
}

function readBrowserKey({ headers }: Pick<Request, "headers">): string | undefined {
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{32})(?:;|$)`).exec(headers.cookie ?? "")?.[1];
}

/** The token names the browser by a digest: the third party sees the token, and must not learn the key. */
function useIn(browserKey: string | undefined): TokenUse {
  return `oauth ${createHash("sha256")
    .update(browserKey ?? randomBytes(24))
    .digest("base64url")}`;
}

/** Every route comes after `attachContext`. */
function asOAuth(request: Request): OAuthRequest {
  return request as OAuthRequest;
}

function urlsOf(request: OAuthRequest): Record<keyof typeof PATHS, string> {
  return {
    login: urlOf(request, PATHS.login),
    success: urlOf(request, PATHS.success),
    failure: urlOf(request, PATHS.failure),
    home: urlOf(request, PATHS.home),
  };
}

function urlOf({ ctx, baseUrl }: OAuthRequest, path: string, token = path === CALLBACK_PATH ? undefined : ctx.token) {
  const address = `${ctx.baseUrl}${baseUrl}${path}`;
  return token === undefined ? address : `${address}?${new URLSearchParams({ token })}`;
}

function checkViews(views: Readonly<Record<string, string | undefined>>): void {
  const missing = ["login", "home", "failure", "success"].filter((name) => !views[name]);
  if (missing.length > 0) throw new Error(`The OAuth handler needs views for ${missing.join(", ")}.`);
}
