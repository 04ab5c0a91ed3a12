import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { Database } from "../../../storage/postgres/database.js";
import {
  giveBackRetry,
  listRejected,
  type RejectedEntry,
  takeForRetry,
} from "../../../storage/postgres/ingest/rejected-entries.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";

export interface IngestionRoutesOptions {
  database: Database;
  intake: Intake;
  brand: Brand;
}

const RejectedRecord = Type.Object({
  id: Type.Integer(),
  connector_id: Type.String(),
  code: Type.String(),
  message: Type.String(),
  entry: Type.Object({}, { additionalProperties: true }),
  rejected_at: Type.String(),
  retried_at: Type.Union([Type.String(), Type.Null()]),
});

/** Entries that were accepted and could not be applied: each with its reason, to be mended and tried again. */
export function ingestionRoutes(app: App, { database, intake, brand }: IngestionRoutesOptions): void {
  app.get(
    "/ingestion/rejected",
    {
      config: { access: "connector" },
      schema: {
        tags: ["gateway"],
        summary: "Entries that could not be applied, the latest first",
        querystring: PageQuery,
        response: { 200: Type.Array(RejectedRecord) },
      },
    },
    async (request, reply) => {
      const { total, rejected } = await listRejected(database, request.caller.organization.id, limitsOf(request.query));
      describePage(request, reply, brand, request.query, total);
      return rejected.map(rejectedRecord);
    },
  );

  app.post(
    "/ingestion/rejected/retry",
    {
      config: { access: "connector" },
      schema: {
        tags: ["gateway"],
        summary: "Apply rejected entries again: those of `ids`, or all that were not retried (5,000 at most)",
        body: Type.Object({ ids: Type.Optional(Type.Array(Type.Integer(), { minItems: 1, maxItems: 5_000 })) }),
        response: { 200: Type.Object({ retried: Type.Integer(), position: Type.Union([Type.String(), Type.Null()]) }) },
      },
    },
    async ({ caller, body }, reply) => {
      const taken = await takeForRetry(database, caller.organization.id, body.ids);
      if (taken.length === 0) return { retried: 0, position: null };
      const entries = taken.map(({ entry }) => entry);
      try {
        const position = await intake.acceptEntries(caller.organization.id, entries[0]?.connectorId ?? "", entries);
        reply.header(brand.headers.position, position);
        return { retried: taken.length, position };
      } catch (error) {
        await giveBackRetry(database, caller.organization.id, taken);
        throw error;
      }
    },
  );
}

function rejectedRecord(rejected: RejectedEntry) {
  return {
    id: rejected.id,
    connector_id: rejected.connectorId,
    code: rejected.code,
    message: rejected.message,
    entry: { ...rejected.entry },
    rejected_at: rejected.rejectedAt.toISOString(),
    retried_at: rejected.retriedAt?.toISOString() ?? null,
  };
}
