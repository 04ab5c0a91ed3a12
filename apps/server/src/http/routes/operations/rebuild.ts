import type { Brand } from "@muster/protocol";
import { OPERATIONS_API } from "@muster/protocol/api/operations";
import type { Rebuilds } from "../../../pipeline/project/rebuilds.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf } from "../pagination.js";

export interface RebuildRoutesOptions {
  rebuilds: Rebuilds;
  brand: Brand;
}

/**
 * Rebuilding the question engine from PostgreSQL. No data is lost, but searches miss some of it until the rebuild is
 * done.
 */
export function rebuildRoutes(app: App, { rebuilds, brand }: RebuildRoutesOptions): void {
  app.post(
    "/rebuild",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["operations"],
        summary: "Rebuild the question engine of an organization, or of all, from PostgreSQL",
        ...OPERATIONS_API["POST /api/v1/rebuild"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(202);
      return rebuilds.request(body.all ? "all" : caller.organization);
    },
  );

  app.get(
    "/rebuild",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["operations"],
        summary: "Show how far the rebuild of an organization, or of all, has come",
        ...OPERATIONS_API["GET /api/v1/rebuild"],
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const found = await rebuilds.list(query.all ? "all" : caller.organization, limitsOf(query));
      describePage(request, reply, brand, query, found.total);
      return found.rebuilds;
    },
  );
}
