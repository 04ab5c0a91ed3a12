import type { Brand, EntryType } from "@muster/protocol";
import { INGESTION_API } from "@muster/protocol/api/ingestion";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isBrowserId } from "../../../domain/platforms/browser-claims.js";
import { acceptSingleEntry } from "../../../pipeline/accept/accept-single-entry.js";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { RefusedAttributes } from "../../../pipeline/accept/refused-attributes.js";
import type { App } from "../../app-type.js";
import { isEndUser, requireClaims } from "../../auth/caller.js";

export interface TrackingRoutesOptions {
  intake: Intake;
  refusedAttributes: RefusedAttributes;
  brand: Brand;
}

/** Single entries that a subject makes about itself, with its token. */
export function trackingRoutes(app: App, { intake, refusedAttributes, brand }: TrackingRoutesOptions): void {
  const accept = async (request: FastifyRequest, reply: FastifyReply, type: EntryType, body: unknown) => {
    const { caller, headers, id: requestId } = request;
    const key = headers["idempotency-key"];
    const answer = await acceptSingleEntry({ intake, refusedAttributes }, caller.organization.id, {
      type,
      body:
        type === "track" ? { ...browserIds(request, brand), ...(body as object) } : (body as Record<string, unknown>),
      claims: requireClaims(caller),
      byEndUser: isEndUser(caller),
      brand,
      context: requestContext(request),
      idempotencyKey: typeof key === "string" ? key : undefined,
      requestId,
    });
    reply.header(brand.headers.position, answer.position);
    return answer;
  };
  const tags = ["tracking"];

  app.post(
    "/t",
    {
      config: { access: "subject" },
      schema: {
        tags,
        summary: "Track an event; the answer is empty",
        ...INGESTION_API["POST /api/v1/t"],
      },
    },
    async (request, reply) => {
      await accept(request, reply, "track", request.body);
      reply.status(204);
    },
  );

  app.post(
    "/me/track",
    {
      config: { access: "subject" },
      schema: { tags, summary: "Track an event", ...INGESTION_API["POST /api/v1/me/track"] },
    },
    (request, reply) => accept(request, reply, "track", request.body),
  );

  app.route({
    method: ["PUT", "POST"],
    url: "/me/traits",
    config: { access: "subject" },
    schema: {
      tags,
      summary: "Set attributes: a flat object, or exactly {name, value, operation?}",
      ...INGESTION_API["PUT /api/v1/me/traits"],
    },
    handler: (request, reply) => accept(request, reply, "traits", readTraits(request.body as Record<string, unknown>)),
  });

  app.post(
    "/me/alias",
    {
      config: { access: "subject" },
      schema: {
        tags,
        summary: "Add an identifier; a user's token may add an anonymous_id only",
        ...INGESTION_API["POST /api/v1/me/alias"],
      },
    },
    (request, reply) => accept(request, reply, "alias", markedAlias(request, brand)),
  );

  app.delete(
    "/me/alias",
    {
      config: { access: "subject" },
      schema: {
        tags,
        summary: "Remove an identifier; a user's token may remove an anonymous_id only",
        ...INGESTION_API["DELETE /api/v1/me/alias"],
      },
    },
    (request, reply) => accept(request, reply, "unalias", request.body ?? { anonymous_id: request.query.anonymous_id }),
  );
}

/**
 * The old browser library makes an alias of the id in the query string of its page, which anybody can put into a link. It
 * does not say so, but it says which page it is on. The name is found in any spelling, because the library reads the
 * address in its own way.
 */
function markedAlias({ body, headers }: FastifyRequest, { queryPrefix }: Brand): Record<string, unknown> {
  const { "x-track-url": page } = headers;
  const isOnLinkedPage = typeof page === "string" && decoded(page).toLowerCase().includes(`${queryPrefix}aid`);
  return { ...(body as object), ...(isOnLinkedPage ? { from: "link" } : {}) };
}

function decoded(address: string): string {
  return address.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Exactly `{name, value, operation?}` is one attribute; any other body is a flat object of attributes. */
function readTraits(body: Record<string, unknown>): Record<string, unknown> {
  const { name, value, operation, ...rest } = body;
  const isOne = typeof name === "string" && Object.hasOwn(body, "value") && Object.keys(rest).length === 0;
  if (!isOne) return body;
  return { [name]: operation === undefined ? value : { value, operation } };
}

/** The ids of the browser and of the visit, which the browser library sends with every call. */
function browserIds({ headers }: FastifyRequest, brand: Brand): Record<string, unknown> {
  const { browserId, sessionId } = brand.headers;
  const given = { _bid: headers[browserId.toLowerCase()], _sid: headers[sessionId.toLowerCase()] };
  return Object.fromEntries(Object.entries(given).filter(([, id]) => typeof id === "string" && isBrowserId(id)));
}

/** The context that the request itself gives an event: the address of the client, its agent and the page. */
function requestContext(request: FastifyRequest): Record<string, unknown> {
  const { headers, ip } = request;
  const texts = {
    useragent: headers["user-agent"],
    url: headers["x-track-url"],
    referer: headers["x-track-referer"],
  };
  return Object.fromEntries(Object.entries({ ip, ...texts }).filter(([, value]) => typeof value === "string"));
}
