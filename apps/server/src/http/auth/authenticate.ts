import { type Brand, isId, nonEmptyText, peekToken, Refusal, typeOfId } from "@muster/protocol";
import type { Connector } from "../../domain/connectors/connector.js";
import { readSubjectToken } from "../../domain/identity/read-subject-token.js";
import { DEFAULT_NAMESPACE, type Organization } from "../../domain/organizations/organization.js";
import { organizationReference } from "../../domain/organizations/organization-reference.js";
import type { Sessions } from "../../members/sessions.js";
import { equalSecrets } from "../../runtime/secrets/vault.js";
import type { Caller } from "./caller.js";
import { type IdentifyVisitorOptions, identifyVisitor } from "./identify-visitor.js";
import { networkOf } from "./network-of.js";
import { requireSession } from "./person.js";
import { headerOf, isPlatformId, type RequestHead } from "./request-head.js";
import type { Throttle } from "./throttle.js";
import { userTokenProblem } from "./user-token.js";

export interface AuthenticateOptions extends IdentifyVisitorOptions {
  organizations: {
    find(idOrNamespace: string): Promise<Organization | undefined>;
  };
  sessions: Sessions;
  baseDomain: string;
  adminToken: string;
  /** Days after its `iat` for which the token of an end user is accepted. */
  userTokenMaxDays: number;
  throttle: Throttle;
}

interface Credentials {
  connectorId: string | undefined;
  secretOrToken: string;
}

/** Whose credentials a request carries, as far as known: a connector's id, "operator" or nothing. */
interface Attempt {
  claimed: string;
}

/**
 * Finds out who makes a request. Wrong credentials are refused; a request without credentials is anonymous. Right
 * credentials always work, however many wrong ones came from the same address: others may share it.
 */
export async function authenticate(options: AuthenticateOptions, request: RequestHead, now: number): Promise<Caller> {
  if (request.sessionToken !== undefined && !hasOtherCredentials(options.brand, request)) {
    return identifyMember(options, request, request.sessionToken);
  }
  const caller = await identifyOrCount(options, request, now);
  // A wrong user id is no wrong credential, so it is not counted.
  return caller.kind === "connector" && !caller.claims ? actForUser(options, request, caller, now) : caller;
}

/** Identifies the caller, and counts wrong credentials. */
async function identifyOrCount(options: AuthenticateOptions, request: RequestHead, now: number): Promise<Caller> {
  const attempt: Attempt = { claimed: "" };
  try {
    return await identify(options, request, attempt, now);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    const key = `${networkOf(request.ip)} ${attempt.claimed}`;
    // A monotonic clock: if the time of day is set back, the address would be refused until the clock has caught up.
    const at = performance.now();
    const wait = options.throttle.retryAfter(key, at);
    if (wait === 0) {
      options.throttle.count(key, at);
      throw error;
    }
    const message = `${error.message} Too many wrong credentials came from this address.`;
    throw new Refusal("too_many_requests", message, { retryAfter: wait, cause: error });
  }
}

/** Finds out whom a token is about. Credentials of a connector that the request also carries are not used. */
export function authenticateToken(
  options: AuthenticateOptions,
  { headers, ip }: Pick<RequestHead, "headers" | "ip">,
  token: string,
  now: number,
): Promise<Caller> {
  const { appId, accessToken } = options.brand.headers;
  const { [appId.toLowerCase()]: _appId, ...others } = headers;
  return authenticate(options, { headers: { ...others, [accessToken.toLowerCase()]: token }, query: {}, ip }, now);
}

/**
 * Whether a request has credentials besides the cookie, or comes from a page of a platform. An `Authorization` header that
 * is no token of ours is for a proxy in front of the server.
 */
function hasOtherCredentials(brand: Brand, request: RequestHead): boolean {
  return (
    bearerOf(request) !== undefined ||
    headerOf(request, brand.headers.appId) !== undefined ||
    readCredentials(brand, request) !== undefined
  );
}

/** A member of the organization. One without a role there does not learn whether there is such an organization. */
async function identifyMember(options: AuthenticateOptions, request: RequestHead, token: string): Promise<Caller> {
  const reference = referenceOf(options, request);
  const [{ member, roles }, organization] = await Promise.all([
    requireSession(options.sessions, token),
    options.organizations.find(reference),
  ]);
  const role = organization && (member.isOperator ? "owner" : roles[organization.id]);
  if (!organization || !role) {
    throw new Refusal("not_found", `There is no organization "${reference.slice(0, 100)}" of which you are a member.`);
  }
  if (!member.isOperator) requireEnabled(organization);
  return { kind: "member", organization, member, role };
}

async function identify(
  options: AuthenticateOptions,
  request: RequestHead,
  attempt: Attempt,
  now: number,
): Promise<Caller> {
  const { brand } = options;
  const reference = referenceOf(options, request);
  const bearer = bearerOf(request);
  if (bearer !== undefined) {
    attempt.claimed = "operator";
    if (!equalSecrets(bearer, options.adminToken)) throw new Refusal("unauthorized", "The admin token is not valid.");
    // Also a disabled one: the operator reads its record and enables it.
    return { kind: "operator", organization: await requireOrganization(options, reference) };
  }
  const credentials = readCredentials(brand, request);
  if (!credentials) {
    const organization = await requireOrganization(options, reference);
    requireEnabled(organization);
    const identifyToken = (token: string) =>
      identifyConnector(options, request, { connectorId: undefined, secretOrToken: token }, reference, attempt, now);
    return identifyVisitor(options, { request, organization, now, identifyToken });
  }
  return identifyConnector(options, request, credentials, reference, attempt, now);
}

async function identifyConnector(
  options: AuthenticateOptions,
  request: RequestHead,
  { connectorId, secretOrToken }: Credentials,
  reference: string,
  attempt: Attempt,
  now: number,
): Promise<Caller> {
  const { brand } = options;
  const isToken = secretOrToken.split(".").length === 3;
  const id = connectorId ?? (isToken ? String(peekToken(secretOrToken)?.iss ?? "") : "");
  const found = id === "" ? undefined : await options.connectors.findForAuthentication(id, request.callerMaxAgeMs);
  if (!found) throw new Refusal("unauthorized", "The connector id or its secret is not valid.");
  const { connector, organization } = found;
  attempt.claimed = connector.id;
  if (organization.id !== reference && organization.namespace !== reference) {
    throw new Refusal("unauthorized", "The connector does not belong to the organization that the request is for.");
  }
  requireEnabled(organization);

  if (!isToken) {
    if (!equalSecrets(secretOrToken, connector.secret)) {
      throw new Refusal("unauthorized", "The connector id or its secret is not valid.");
    }
    requireEnabledConnector(connector);
    return { kind: "connector", organization, connector };
  }
  const claims = readSubjectToken(brand, secretOrToken, connector, now);
  if (typeof claims === "string") throw new Refusal("invalid_token", claims);
  requireEnabledConnector(connector);
  if (claims.scopes.includes("admin")) return { kind: "connector", organization, connector, claims };
  const problem = userTokenProblem(claims, options.userTokenMaxDays, now);
  if (problem) throw new Refusal("invalid_token", problem);
  const appId = headerOf(request, brand.headers.appId);
  const page = isPlatformId(appId) ? { platformId: appId } : {};
  return { kind: "subject", organization, connector, claims, ...page };
}

/** Lets a connector act for the user that a header names, if there is one. */
async function actForUser(
  { brand, users }: AuthenticateOptions,
  request: RequestHead,
  caller: Extract<Caller, { kind: "connector" }>,
  now: number,
): Promise<Caller> {
  const name = brand.headers.userId;
  const given = headerOf(request, name);
  if (given === undefined) return caller;
  if (!isId(given) || typeOfId(given) !== "user") {
    throw new Refusal("unauthorized", `The ${name} header is not the id of a user.`);
  }
  const subjectId = await users.findUserId(caller.organization.id, given);
  if (subjectId === undefined) throw new Refusal("unauthorized", `There is no user with the id of the ${name} header.`);
  const claims = {
    issuer: caller.connector.id,
    issuedAt: Math.floor(now / 1_000),
    subjectType: "user" as const,
    subjectId,
    create: false,
    active: false,
    scopes: [],
  };
  return { ...caller, claims };
}

function bearerOf({ headers }: RequestHead): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** The id or namespace of the organization that a request is for. */
function referenceOf({ brand, baseDomain }: AuthenticateOptions, request: RequestHead): string {
  return organizationReference(headerOf(request, brand.headers.organization), request.headers.host, baseDomain);
}

function readCredentials(brand: Brand, request: RequestHead): Credentials | undefined {
  const { query } = request;
  const connectorId =
    headerOf(request, brand.headers.appId) ??
    nonEmptyText(query.id) ??
    nonEmptyText(query.app_id) ??
    nonEmptyText(query.ship);
  // On a page of a platform, the token says which connector has issued it.
  const issuerId = isPlatformId(connectorId) ? undefined : connectorId;
  const secretOrToken =
    headerOf(request, brand.headers.accessToken) ?? nonEmptyText(query.secret) ?? nonEmptyText(query.access_token);
  return secretOrToken === undefined ? undefined : { connectorId: issuerId, secretOrToken };
}

async function requireOrganization({ organizations }: AuthenticateOptions, reference: string): Promise<Organization> {
  const organization = await organizations.find(reference);
  if (!organization) {
    if (reference === DEFAULT_NAMESPACE) throw new Refusal("unauthorized", "The request names no organization.");
    throw new Refusal("unauthorized", `There is no organization "${reference}".`);
  }
  return organization;
}

/** Refuses what is for a disabled organization. */
export function requireEnabled(organization: Organization): void {
  if (!organization.enabled) {
    throw new Refusal("organization_disabled", `The organization "${organization.namespace}" is disabled.`);
  }
}

/** Refuses what a disabled connector sends. */
export function requireEnabledConnector({ enabled, name }: Connector): void {
  if (!enabled) throw new Refusal("connector_disabled", `The connector "${name}" is disabled.`);
}
