import type { Brand } from "@muster/protocol";
import { VIEWS_API } from "@muster/protocol/api/views";
import type { Views } from "../../../audience/search/views.js";
import { changedFields } from "../../../domain/members/changed-fields.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { describePage, limitsOf } from "../pagination.js";

export interface ViewRoutesOptions {
  views: Views;
  brand: Brand;
}

/** Saved views of the lists of users and accounts. */
export function viewRoutes(app: App, { views, brand }: ViewRoutesOptions): void {
  app.get(
    "/views",
    {
      config: { access: "connector" },
      schema: {
        tags: ["views"],
        summary: "Saved views of the lists of users and accounts",
        ...VIEWS_API["GET /api/v1/views"],
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const { total, views: found } = await views.list(caller.organization.id, query.target, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return found;
    },
  );

  app.post(
    "/views",
    {
      config: { access: "connector" },
      schema: {
        tags: ["views"],
        summary: "Save a view",
        ...VIEWS_API["POST /api/v1/views"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(201);
      return views.create(caller.organization.id, { predicate: {}, search: "", columns: [], sort: {}, ...body });
    },
  );

  app.put(
    "/views/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["views"],
        summary: "Change a view; what is left out stays as it is",
        ...VIEWS_API["PUT /api/v1/views/{id}"],
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      const before = await views.find(caller.organization.id, params.id);
      const view = await views.update(caller.organization.id, params.id, body);
      if (!view) throw notFound("view", String(params.id));
      request.audited = { label: (before ?? view).name, ...changedFields(before, view) };
      return view;
    },
  );

  app.delete(
    "/views/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["views"],
        summary: "Remove a view",
        ...VIEWS_API["DELETE /api/v1/views/{id}"],
      },
    },
    async (request) => {
      const { caller, params } = request;
      const before = await views.find(caller.organization.id, params.id);
      if (before) request.audited = { label: before.name };
      if (!(await views.remove(caller.organization.id, params.id))) throw notFound("view", String(params.id));
      return { id: params.id, deleted: true as const };
    },
  );
}
