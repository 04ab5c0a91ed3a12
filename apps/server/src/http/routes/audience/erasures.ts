import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Erasures } from "../../../audience/erasures.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { describePage, limitsOf } from "../pagination.js";

export interface ErasureRoutesOptions {
  erasures: Erasures;
  brand: Brand;
}

const Counts = Type.Record(Type.String(), Type.Integer(), { description: "Numbers by kind of data." });

const ErasureRecord = Type.Object(
  {
    id: Type.String({ description: "The id that the erased user or account had." }),
    type: Type.Enum(["user", "account"]),
    status: Type.Enum(["cleaning", "complete"], {
      description: "`complete` once logs, queues and files are clean too.",
    }),
    erased_at: Type.String({ format: "date-time" }),
    cleaned_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    removed: { ...Counts, description: "How much was removed at once, by kind." },
    cleaned: Type.Union([Counts, Type.Null()], {
      description: "How much the clean-up removed, by kind, for all users and accounts that it was about.",
    }),
    copies: Type.Array(
      Type.Object({
        where: Type.String(),
        gone_by: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
        note: Type.Optional(Type.String()),
      }),
      {
        description: "Where copies may be, and when the last of them is gone at the latest; null when it is not known.",
      },
    ),
  },
  { component: "Erasure", description: "The receipt of an erasure." },
);

/** The receipts of erasures. */
export function erasureRoutes(app: App, { erasures, brand }: ErasureRoutesOptions): void {
  app.get(
    "/erasures",
    {
      config: { access: "connector" },
      schema: {
        tags: ["objects"],
        summary: "The erasures of users and accounts, the latest first",
        querystring: PageQuery,
        response: { 200: Type.Array(ErasureRecord) },
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
        params: Type.Object({ id: Type.String({ description: "The id that the user or account had." }) }),
        response: { 200: ErasureRecord },
      },
    },
    async ({ caller, params }) => {
      const found = await erasures.find(caller.organization.id, params.id);
      if (!found) throw notFound("erasure", params.id);
      return found;
    },
  );
}
