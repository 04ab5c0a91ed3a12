import type { Brand } from "@muster/protocol";
import { ERASURES_API } from "@muster/protocol/api/erasures";
import type { Erasures } from "../../../audience/subjects/erasures.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { describePage, limitsOf } from "../pagination.js";

export interface ErasureRoutesOptions {
  erasures: Erasures;
  brand: Brand;
}

/** The receipts of erasures. */
export function erasureRoutes(app: App, { erasures, brand }: ErasureRoutesOptions): void {
  app.get(
    "/erasures",
    {
      config: { access: "connector" },
      schema: {
        tags: ["objects"],
        summary: "The erasures of users and accounts, the latest first",
        ...ERASURES_API["GET /api/v1/erasures"],
      },
    },
    async (request, reply) => {
      const { total, erasures: found } = await erasures.list(request.caller.organization.id, limitsOf(request.query));
      describePage(request, reply, brand, request.query, total);
      return found;
    },
  );

  app.get(
    "/erasures/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["objects"],
        summary: "What the erasure of a user or account has removed",
        ...ERASURES_API["GET /api/v1/erasures/{id}"],
      },
    },
    async ({ caller, params }) => {
      const found = await erasures.find(caller.organization.id, params.id);
      if (!found) throw notFound("erasure", params.id);
      return found;
    },
  );
}
