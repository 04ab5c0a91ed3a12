import type { Brand } from "@muster/protocol";
import { INSIGHTS_API } from "@muster/protocol/api/insights";
import type { SavedInsights } from "../../../audience/insights/saved-insights.js";
import { changedFields } from "../../../domain/members/changed-fields.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { describePage, limitsOf } from "../pagination.js";

export interface SavedInsightRoutesOptions {
  savedInsights: SavedInsights;
  brand: Brand;
}

/** Saved trends, funnels and retentions, and the cards of the home. */
export function savedInsightRoutes(app: App, { savedInsights, brand }: SavedInsightRoutesOptions): void {
  app.get(
    "/insights",
    {
      config: { access: "connector" },
      schema: { tags: ["insights"], summary: "Saved insights by name", ...INSIGHTS_API["GET /api/v1/insights"] },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const { total, insights } = await savedInsights.list(caller.organization.id, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return insights;
    },
  );

  app.post(
    "/insights",
    {
      config: { access: "connector" },
      schema: {
        tags: ["insights"],
        summary: "Save an insight",
        description: "A name belongs to one insight, whatever its case.",
        ...INSIGHTS_API["POST /api/v1/insights"],
      },
    },
    async ({ caller, body }, reply) => {
      const created = await savedInsights.create(caller.organization.id, body.name, body.question);
      reply.status(201);
      return created;
    },
  );

  app.put(
    "/insights/home",
    {
      config: { access: "connector" },
      schema: {
        tags: ["insights"],
        summary: "Arrange the cards of the home",
        description: "Replaces all cards. Everybody in the organization sees the same ones.",
        ...INSIGHTS_API["PUT /api/v1/insights/home"],
      },
    },
    ({ caller, body }) => savedInsights.arrangeHome(caller.organization.id, body.ids),
  );

  app.put(
    "/insights/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["insights"],
        summary: "Change a saved insight; what is left out stays as it is",
        ...INSIGHTS_API["PUT /api/v1/insights/{id}"],
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      const before = await savedInsights.find(caller.organization.id, params.id);
      const insight = await savedInsights.update(caller.organization.id, params.id, body);
      if (!insight) throw notFound("insight", String(params.id));
      request.audited = { label: (before ?? insight).name, ...changedFields(before, insight) };
      return insight;
    },
  );

  app.delete(
    "/insights/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["insights"],
        summary: "Remove a saved insight",
        ...INSIGHTS_API["DELETE /api/v1/insights/{id}"],
      },
    },
    async (request) => {
      const { caller, params } = request;
      const before = await savedInsights.find(caller.organization.id, params.id);
      const isRemoved = await savedInsights.remove(caller.organization.id, params.id);
      if (!isRemoved) throw notFound("insight", String(params.id));
      if (before) request.audited = { label: before.name };
      return { id: params.id, deleted: true as const };
    },
  );
}
