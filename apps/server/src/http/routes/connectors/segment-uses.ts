import type { Brand } from "@muster/protocol";
import { SEGMENTS_API } from "@muster/protocol/api/segments";
import type { SegmentUses } from "../../../connectors/segment-uses.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { pageOfAll } from "../pagination.js";

export interface SegmentUsesRoutesOptions {
  segmentUses: SegmentUses;
  brand: Brand;
}

/** Which connectors and segments use segments. */
export function segmentUsesRoutes(app: App, { segmentUses, brand }: SegmentUsesRoutesOptions): void {
  app.get(
    "/segments/uses",
    {
      config: { access: "connector" },
      schema: {
        tags: ["segments"],
        summary: "The connectors and segments that use each segment",
        ...SEGMENTS_API["GET /api/v1/segments/uses"],
      },
    },
    async (request, reply) => {
      const all = await segmentUses.list(request.caller.organization.id);
      return pageOfAll(request, reply, brand, request.query, all);
    },
  );

  app.get(
    "/:id/uses",
    {
      config: { access: "connector" },
      schema: {
        tags: ["segments"],
        summary: "The connectors and segments that use a segment",
        ...SEGMENTS_API["GET /api/v1/{id}/uses"],
      },
    },
    async ({ caller, params }) => {
      const found = await segmentUses.find(caller.organization.id, params.id);
      if (!found) throw notFound("segment", params.id);
      return found;
    },
  );
}
