import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Rebuilds } from "../../../pipeline/project/rebuilds.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf } from "../pagination.js";

const Scope = Type.Object({
  all: Type.Optional(Type.Boolean({ description: "Every organization, not only this one." })),
});

const RebuildRecord = Type.Object({
  organization: Type.String({ description: "The organization's namespace." }),
  phase: Type.String({
    description: "`requested`, `documents`, `events`, `done`, or `none` when no rebuild was ever requested.",
  }),
  documents: Type.Integer({ description: "Users and accounts written so far." }),
  changes: Type.Integer({ description: "Rows of the change log replayed so far." }),
  changes_total: Type.Integer({ description: "Rows of the change log to replay; 0 until that is known, and after." }),
  requested_at: Type.Union([Type.String(), Type.Null()]),
  finished_at: Type.Union([Type.String(), Type.Null()]),
});

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
        body: Scope,
        response: { 202: Type.Array(RebuildRecord) },
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
        querystring: Type.Object({ ...PageQuery.properties, ...Scope.properties }),
        response: { 200: Type.Array(RebuildRecord) },
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
