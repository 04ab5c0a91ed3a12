import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import type { RejectedEntries } from "../../../pipeline/rejected-entries.js";
import type { App } from "../../app-type.js";
import { ownConnectorId } from "../../auth/caller.js";
import { freeObject } from "../../reference/named-schema.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";

export interface RejectedEntryRoutesOptions {
  rejectedEntries: RejectedEntries;
  brand: Brand;
}

const RejectedEntryRecord = Type.Object({
  id: Type.Integer(),
  connector_id: Type.String(),
  code: Type.String(),
  message: Type.String(),
  entry: freeObject("The entry as it was accepted, with the parts that were refused."),
  rejected_at: Type.String(),
  retried_at: Type.Union([Type.String(), Type.Null()]),
});

/**
 * Entries that were accepted and then could not be applied: they can be listed and, once the cause is mended, retried.
 */
export function rejectedEntryRoutes(app: App, { rejectedEntries, brand }: RejectedEntryRoutesOptions): void {
  app.get(
    "/ingestion/rejected",
    {
      config: { access: "connector" },
      schema: {
        tags: ["gateway"],
        summary: "List the entries that could not be applied, the latest first",
        description: "A connector sees and retries its own, the operator all of the organization.",
        querystring: PageQuery,
        response: { 200: Type.Array(RejectedEntryRecord) },
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const { total, rejected } = await rejectedEntries.list(
        caller.organization.id,
        ownConnectorId(caller),
        limitsOf(query),
      );
      describePage(request, reply, brand, query, total);
      return rejected;
    },
  );

  app.post(
    "/ingestion/rejected/retry",
    {
      config: { access: "connector" },
      schema: {
        tags: ["gateway"],
        summary: "Apply rejected entries again: those of `ids`, or all that were not retried yet (5,000 at most)",
        body: Type.Object({
          ids: Type.Optional(
            Type.Array(Type.Integer(), { minItems: 1, maxItems: 5_000, description: "Default: all not retried yet." }),
          ),
        }),
        response: { 200: Type.Object({ retried: Type.Integer(), position: Type.Union([Type.String(), Type.Null()]) }) },
      },
    },
    async ({ caller, body }, reply) => {
      const retry = await rejectedEntries.retry(caller.organization.id, ownConnectorId(caller), body.ids);
      if (!retry) return { retried: 0, position: null };
      reply.header(brand.headers.position, retry.position);
      return retry;
    },
  );
}
