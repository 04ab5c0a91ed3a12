import { Refusal } from "@muster/protocol";
import { PAGES_API } from "@muster/protocol/api/pages";
import type { FastifyRequest } from "fastify";
import { CARRIED_ID_LIFE_MS } from "../../../domain/platforms/carried-id.js";
import type { CarriedIds } from "../../../platforms/carried-ids.js";
import type { Platforms } from "../../../platforms/platforms.js";
import type { App } from "../../app-type.js";
import type { AuthenticateOptions } from "../../auth/authenticate.js";
import { requireClaims } from "../../auth/caller.js";
import { networkOf } from "../../auth/network-of.js";
import type { PageLimits } from "../../hooks/page-limits.js";
import { signedInCaller } from "./page-visitor.js";

export interface CarryRoutesOptions {
  carriedIds: CarriedIds;
  limits: PageLimits;
  platforms: Platforms;
  authentication: AuthenticateOptions;
  /** What the reference says about all calls of pages. */
  description: string;
}

const BODY_LIMIT_BYTES = 8 * 1024;

/** Carries the id of a visitor from one domain of a platform to another, in a link. */
export function carryRoutes(
  app: App,
  { carriedIds, limits, platforms, authentication, description }: CarryRoutesOptions,
): void {
  const browserOf = ({ ip, headers }: FastifyRequest) =>
    carriedIds.browserOf(networkOf(ip), headers["user-agent"] ?? "");
  /** Whether a token is one of a user of the organization. A link carries the id of the visitor without it too. */
  const isValid = async (request: FastifyRequest, token: string): Promise<boolean> => {
    try {
      const caller = await signedInCaller(authentication, request, { bid: "", sid: "", access_token: token });
      return caller?.organization.id === request.caller.organization.id && requireClaims(caller).subjectType === "user";
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  };
  const common = { config: { access: "anyone" }, bodyLimit: BODY_LIMIT_BYTES } as const;

  app.post(
    "/:id/carry",
    {
      ...common,
      schema: {
        tags: ["browser"],
        summary: "The visitor's id for a link to another domain of the organization's platforms",
        description: `Only the page that the link leads to can read it, once, within two minutes, and from a visitor who comes from this page. With the token of a user who is signed in it carries the sign-in too, for the same browser.\n\n${description}`,
        ...PAGES_API["POST /api/v1/{id}/carry"],
      },
    },
    async (request) => {
      const { bid, to, access_token: token } = request.body;
      limits.count(request, bid, 1);
      const { id: organizationId } = request.caller.organization;
      const from = hostOfPage(request);
      const all = await platforms.list(organizationId);
      const user =
        token !== undefined && (await isValid(request, token)) ? { token, browser: browserOf(request) } : undefined;
      const carried = carriedIds.carry(organizationId, all, { browserId: bid, from, to, user });
      return { carried, expires_in: CARRIED_ID_LIFE_MS / 1_000 };
    },
  );

  app.post(
    "/:id/arrive",
    {
      ...common,
      schema: {
        tags: ["browser"],
        summary: "The visitor's id that a link has carried to this page",
        description: `A carried id that was used before is refused with \`conflict\`, one that is not of this server with \`invalid_parameter\`, and one that has expired or is for other pages with \`forbidden\`.\n\n${description}`,
        ...PAGES_API["POST /api/v1/{id}/arrive"],
      },
    },
    async (request) => {
      const { carried, from } = request.body;
      limits.countArrival(request);
      const arrival = { from, to: hostOfPage(request), browser: browserOf(request) };
      const arrived = await carriedIds.arrive(request.caller.organization.id, carried, arrival);
      const { browserId: bid, token } = arrived;
      return token === undefined ? { bid } : { bid, access_token: token };
    },
  );
}

/** The host of the page that makes a request, with its port. Pages of other platforms were refused before. */
function hostOfPage({ headers: { origin } }: FastifyRequest): string {
  if (origin === undefined) throw new Refusal("forbidden", "Only a page of the platform can make this call.");
  return new URL(origin).host;
}
