import { type Brand, isId, Refusal, typeOfId } from "@muster/protocol";
import type { Connector, ConnectorInOrganization } from "../../domain/connectors/connector.js";
import type { Organization } from "../../domain/organizations/organization.js";
import { browserClaims, isBrowserId } from "../../domain/platforms/browser-claims.js";
import type { Platform } from "../../domain/platforms/platform.js";
import type { Caller } from "./caller.js";
import { headerOf, isPlatformId, type RequestHead } from "./request-head.js";
import { readSignedUser, type SignedUser, signedAt, signedUserOf } from "./user-signature.js";
import { userTokenProblem } from "./user-token.js";

export interface IdentifyVisitorOptions {
  connectors: {
    /** A connector and its organization by the connector's id; the answer may be `maxAgeMs` old. */
    findForAuthentication(id: string, maxAgeMs?: number): Promise<ConnectorInOrganization | undefined>;
    list(organizationId: string): Promise<Connector[]>;
  };
  users: {
    /** The id of a user, also by the former id of a merged one; undefined when there is no such user. */
    findUserId(organizationId: string, id: string): Promise<string | undefined>;
  };
  platforms: {
    find(organizationId: string, id: string): Promise<Platform | undefined>;
  };
  brand: Brand;
  userTokenMaxDays: number;
}

/** A request that has no secret and no token, and what is known about it. */
interface Visit {
  request: RequestHead;
  organization: Organization;
  now: number;
  /** Finds out whose token it is. */
  identifyToken(token: string): Promise<Caller>;
}

/**
 * Who makes a request without a secret and without a token: a user whose id a connector has signed, a user whose session
 * is in a cookie, a browser on a page of a platform, or nobody who is known.
 */
export async function identifyVisitor(options: IdentifyVisitorOptions, visit: Visit): Promise<Caller> {
  const { brand, platforms } = options;
  const { request, organization, now } = visit;
  const appId = headerOf(request, brand.headers.appId);
  if (appId === undefined || !isId(appId)) return { kind: "anonymous", organization };
  const platform = isPlatformId(appId) ? await platforms.find(organization.id, appId) : undefined;
  if (isPlatformId(appId) && !platform) throw new Refusal("unauthorized", `There is no platform "${appId}".`);
  const signed = signedUserOf(brand, request);
  if (signed) return identifySignedUser(options, visit, appId, signed);
  const offered = await identifyOfferedUser(options, visit, appId);
  if (offered) return offered;
  const browserId = headerOf(request, brand.headers.browserId);
  if (!platform || browserId === undefined || !isBrowserId(browserId)) return { kind: "anonymous", organization };
  return { kind: "visitor", organization, platform, claims: browserClaims(platform, browserId, now) };
}

/** The user of the cookies. A browser keeps cookies that count no more, so a wrong one is as good as none. */
async function identifyOfferedUser(
  options: IdentifyVisitorOptions,
  visit: Visit,
  appId: string,
): Promise<Caller | undefined> {
  const { request, organization, identifyToken } = visit;
  const token = request.offeredUser?.token(organization.id, appId);
  const cookie = token === undefined ? request.offeredUser?.signed(appId) : undefined;
  const signed = cookie === undefined ? undefined : readSignedUser(options.brand, cookie);
  try {
    if (token !== undefined) return await identifyToken(token);
    return signed && (await identifySignedUser(options, visit, appId, signed));
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return undefined;
    throw error;
  }
}

async function identifySignedUser(
  options: IdentifyVisitorOptions,
  { organization, now }: Visit,
  appId: string,
  signed: SignedUser,
): Promise<Caller> {
  const { brand, users, userTokenMaxDays } = options;
  // On a page, the signature does not say which connector has made it.
  const candidates = isPlatformId(appId)
    ? await options.connectors.list(organization.id)
    : await namedConnector(options, organization, appId);
  for (const connector of candidates) {
    const issuedAt = signedAt(signed, connector.secret);
    if (issuedAt === undefined) continue;
    if (!connector.enabled) throw new Refusal("connector_disabled", `The connector "${connector.name}" is disabled.`);
    const isUser = isId(signed.userId) && typeOfId(signed.userId) === "user";
    const subjectId = isUser ? await users.findUserId(organization.id, signed.userId) : undefined;
    if (subjectId === undefined) throw new Refusal("unauthorized", "There is no user with the id that is signed.");
    const claims = {
      issuer: connector.id,
      issuedAt,
      subjectType: "user" as const,
      subjectId,
      create: false,
      active: false,
      scopes: [],
    };
    const problem = userTokenProblem(claims, userTokenMaxDays, now);
    if (problem) throw new Refusal("invalid_token", problem);
    const page = isPlatformId(appId) ? { platformId: appId } : {};
    return { kind: "subject", organization, connector, claims, ...page };
  }
  throw new Refusal("unauthorized", `The ${brand.headers.userSignature} is not valid.`);
}

async function namedConnector(
  { connectors }: IdentifyVisitorOptions,
  organization: Organization,
  id: string,
): Promise<Connector[]> {
  const found = await connectors.findForAuthentication(id);
  return found?.organization.id === organization.id ? [found.connector] : [];
}
