import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { SegmentUses } from "../../../connectors/segment-uses.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { pageOfAll } from "../pagination.js";

const SegmentUse = Type.Object(
  {
    segment_id: Type.String(),
    connectors: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        enabled: Type.Boolean(),
        settings: Type.Array(
          Type.Object({
            path: Type.String({ description: "Where the setting is in the connector's record." }),
            title: Type.String(),
          }),
          { description: "The settings that name the segment." },
        ),
      }),
    ),
    segments: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), type: Type.String() }), {
      description: "The segments whose query asks about it.",
    }),
  },
  { component: "SegmentUse", description: "The connectors and segments that use a segment." },
);

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
        querystring: PageQuery,
        response: { 200: Type.Array(SegmentUse) },
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
        params: Type.Object({ id: Type.String({ description: "The id of a segment." }) }),
        response: { 200: SegmentUse },
      },
    },
    async ({ caller, params }) => {
      const found = await segmentUses.find(caller.organization.id, params.id);
      if (!found) throw notFound("segment", params.id);
      return found;
    },
  );
}
