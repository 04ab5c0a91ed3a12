import { type Brand, Refusal } from "@muster/protocol";
import { PAGES_API } from "@muster/protocol/api/pages";
import type { SignIns } from "../../../audience/subjects/sign-ins.js";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import { readTimestamp } from "../../../domain/entries/admit-entry.js";
import { acceptPageRecords } from "../../../pipeline/accept/accept-page-records.js";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { RefusedAttributes } from "../../../pipeline/accept/refused-attributes.js";
import type { PlatformServices } from "../../../platforms/open-platforms.js";
import { platformRecord } from "../../../platforms/platform-record.js";
import type { App } from "../../app-type.js";
import type { AuthenticateOptions } from "../../auth/authenticate.js";
import { readJson } from "../../body/read-json.js";
import type { PageLimits } from "../../hooks/page-limits.js";
import type { WaitingReaders } from "../../hooks/waiting-readers.js";
import { findMe } from "../audience/find-me.js";
import { type MeRecordOptions, meRecord } from "../audience/me-record.js";
import { readAliasTokens } from "./alias-tokens.js";
import { carryRoutes } from "./carry-routes.js";
import { platformOfPage } from "./page-platform.js";
import { signedInCaller, visitorClaims } from "./page-visitor.js";

export interface PageRoutesOptions extends PlatformServices {
  brand: Brand;
  authentication: AuthenticateOptions;
  readers: WaitingReaders;
  intake: Intake;
  refusedAttributes: RefusedAttributes;
  subjects: Subjects;
  signIns: SignIns;
  limits: PageLimits;
}

// A browser sends at most 64 KB while a page is being closed.
const BODY_LIMIT_BYTES = 128 * 1024;
/** A visitor opens several pages in a minute, and what the operator changes is seen after one. */
const PAGE_CACHE = "public, max-age=60";

const PLAIN_TEXT =
  "The body may have the type text/plain: then a browser does not ask the server before it sends it. A page of another domain than those of the platform is refused.";

/**
 * What the browser library calls. Its requests need no CORS preflight: the body is JSON with the type text/plain, and there
 * are no headers of our own.
 */
export async function pageRoutes(app: App, prefix: string, options: PageRoutesOptions): Promise<void> {
  await app.register(
    async (pages: App) => {
      readJson(pages, "text/plain");
      pagesRoutes(pages, options);
    },
    { prefix },
  );
}

function pagesRoutes(app: App, options: PageRoutesOptions): void {
  const { brand, authentication, readers, intake, refusedAttributes, subjects, signIns, limits } = options;
  const { platforms, deployments, carriedIds } = options;
  const me: MeRecordOptions = { subjects, authentication };
  const config = { access: "anyone" } as const;

  const platformOf = platformOfPage(app, platforms);
  carryRoutes(app, { carriedIds, limits, platforms, authentication, description: PLAIN_TEXT });

  app.get(
    "/:id/page",
    {
      config,
      schema: {
        tags: ["browser"],
        summary: "What the browser library needs to know of a platform",
        description: PLAIN_TEXT,
        ...PAGES_API["GET /api/v1/{id}/page"],
      },
    },
    async (request, reply) => {
      limits.countAddress(request);
      const platform = platformOf(request);
      const { organization } = request.caller;
      const { id, namespace, name } = organization;
      reply.header("cache-control", PAGE_CACHE);
      return {
        org: { id, namespace, name },
        app: platformRecord(platform),
        deployments: await deployments.list(organization, platform),
        services: await deployments.services(organization),
        carries_to: await domainsOf(platforms, organization.id),
      };
    },
  );

  app.post(
    "/:id/me",
    {
      config,
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        tags: ["browser"],
        summary: "The user of the visitor's token, or false when the user is not known",
        description: PLAIN_TEXT,
        ...PAGES_API["POST /api/v1/{id}/me"],
      },
    },
    async (request, reply) => {
      limits.count(request, request.body.bid, 1);
      const caller = await signedInCaller(authentication, request, request.body);
      const user = caller && (await findMe(subjects, caller));
      if (!caller || !user) return reply.type("application/json; charset=utf-8").send(false);
      return meRecord(me, caller, user);
    },
  );

  app.post(
    "/:id/login",
    {
      config,
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        tags: ["browser"],
        summary: "Sign a visitor in with a token",
        description: PLAIN_TEXT,
        ...PAGES_API["POST /api/v1/{id}/login"],
      },
    },
    async (request) => {
      const platform = platformOf(request);
      limits.count(request, request.body.bid, 1);
      const caller = await signedInCaller(authentication, request, request.body);
      if (!caller) throw new Refusal("missing_parameters", "body.access_token is required.");
      const claims = visitorClaims(caller, platform, request.body);
      const user = await readers.count(caller, () =>
        signIns.signIn(caller.organization.id, claims, { url: request.body.url ?? null, byEndUser: true }),
      );
      return meRecord(me, caller, user);
    },
  );

  app.post(
    "/:id/records",
    {
      config,
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        tags: ["browser"],
        summary: "Records of a visitor: track, traits, alias and unalias",
        description: `Records that are sent again, with the same ids, count once.\n\n${PLAIN_TEXT}`,
        ...PAGES_API["POST /api/v1/{id}/records"],
      },
    },
    async (request, reply) => {
      const platform = platformOf(request);
      const { body, headers, ip } = request;
      limits.count(request, body.bid, body.batch.length);
      const sentAtMs = readTimestamp(body.sentAt);
      if (sentAtMs === undefined) throw new Refusal("invalid_parameter", "body.sentAt is not a date.");
      const caller = await signedInCaller(authentication, request, body);
      const answer = await acceptPageRecords({ intake, refusedAttributes }, request.caller.organization.id, {
        batch: body.batch,
        sentAtMs,
        brand,
        browserId: body.bid,
        sessionId: body.sid,
        claims: visitorClaims(caller, platform, body),
        aliasProofs: await readAliasTokens(authentication, request, body.batch),
        context: { ip, ...(headers["user-agent"] === undefined ? {} : { useragent: headers["user-agent"] }) },
      });
      await platforms.noteRecord(request.caller.organization.id, platform);
      return reply.header(brand.headers.position, answer.position).send(answer);
    },
  );
}

/** More are the customers of a platform, who have hosts under one domain. */
const MAX_DOMAINS = 200;

/** The domains of all platforms of an organization. Links to them carry the visitor. */
async function domainsOf(platforms: PlatformServices["platforms"], organizationId: string): Promise<string[]> {
  const all = await platforms.list(organizationId);
  return [...new Set(all.flatMap(({ domains }) => domains))].slice(0, MAX_DOMAINS);
}
