import { Refusal } from "@muster/protocol";
import { PAGES_API } from "@muster/protocol/api/pages";
import type { FastifyRequest } from "fastify";
import { CARRIED_ID_LIFE_MS } from "../../../domain/platforms/carried-id.js";
import type { Platform } from "../../../domain/platforms/platform.js";
import type { CarriedIds } from "../../../platforms/carried-ids.js";
import type { App } from "../../app-type.js";
import type { PageLimits } from "../../hooks/page-limits.js";

export interface CarryRoutesOptions {
  carriedIds: CarriedIds;
  limits: PageLimits;
  platformOf(request: FastifyRequest): Platform;
  /** What the reference says about all calls of pages. */
  description: string;
}

const BODY_LIMIT_BYTES = 8 * 1024;

/** Carries the id of a visitor from one domain of a platform to another, in a link. */
export function carryRoutes(app: App, { carriedIds, limits, platformOf, description }: CarryRoutesOptions): void {
  const common = { config: { access: "anyone" }, bodyLimit: BODY_LIMIT_BYTES } as const;

  app.post(
    "/:id/carry",
    {
      ...common,
      schema: {
        tags: ["browser"],
        summary: "The visitor's id for a link to another domain of the platform",
        description: `Only the page that the link leads to can read it, once, within two minutes, and from a visitor who comes from this page.\n\n${description}`,
        ...PAGES_API["POST /api/v1/{id}/carry"],
      },
    },
    async (request) => {
      const { bid, to } = request.body;
      limits.count(request, bid, 1);
      const from = hostOfPage(request);
      const carried = carriedIds.carry(request.caller.organization.id, platformOf(request), {
        browserId: bid,
        from,
        to,
      });
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
      const arrival = { from, to: hostOfPage(request) };
      return { bid: await carriedIds.arrive(request.caller.organization.id, platformOf(request), carried, arrival) };
    },
  );
}

/** The host of the page that makes a request, with its port. Pages of other platforms were refused before. */
function hostOfPage({ headers: { origin } }: FastifyRequest): string {
  if (origin === undefined) throw new Refusal("forbidden", "Only a page of the platform can make this call.");
  return new URL(origin).host;
}
