import { type Brand, Refusal } from "@muster/protocol";
import { INGESTION_API, type RejectedSelection } from "@muster/protocol/api/ingestion";
import type { RejectedFilter } from "../../../domain/entries/rejected-filter.js";
import type { RejectedEntries } from "../../../pipeline/rejected-entries.js";
import type { App } from "../../app-type.js";
import { type Caller, ownConnectorId } from "../../auth/caller.js";
import { describePage, limitsOf } from "../pagination.js";

export interface RejectedEntryRoutesOptions {
  rejectedEntries: RejectedEntries;
  brand: Brand;
}

const SEEN_BY = "A connector sees and retries its own, the operator all of the organization.";

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
        description: SEEN_BY,
        ...INGESTION_API["GET /api/v1/ingestion/rejected"],
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const filter = filterOf(query, caller);
      const { total, rejected } = await rejectedEntries.list(caller.organization.id, filter, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return rejected;
    },
  );

  app.get(
    "/ingestion/rejected/reasons",
    {
      config: { access: "connector" },
      schema: {
        tags: ["gateway"],
        summary: "Why entries could not be applied, with the number of entries for each reason",
        description: SEEN_BY,
        ...INGESTION_API["GET /api/v1/ingestion/rejected/reasons"],
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const filter = filterOf(query, caller);
      const { total, reasons } = await rejectedEntries.reasons(caller.organization.id, filter, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return reasons;
    },
  );

  app.post(
    "/ingestion/rejected/retry",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["gateway"],
        summary: "Apply rejected entries again: those of `ids`, or all that match and were not retried yet",
        description: "5,000 at most in one call.",
        ...INGESTION_API["POST /api/v1/ingestion/rejected/retry"],
      },
    },
    async ({ caller, body }, reply) => {
      const retry = await rejectedEntries.retry(caller.organization.id, filterOf(body, caller));
      if (!retry) return { retried: 0, position: null };
      reply.header(brand.headers.position, retry.position);
      return retry;
    },
  );

  app.post(
    "/ingestion/rejected/:id/retry",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["gateway"],
        summary: "Apply one rejected entry again with another body",
        description: "Whom the entry is about, its time and the id of its event stay as they are.",
        ...INGESTION_API["POST /api/v1/ingestion/rejected/{id}/retry"],
      },
    },
    async ({ caller, params, body }, reply) => {
      const filter = { ...filterOf({}, caller), ids: [params.id] as const };
      const retry = await rejectedEntries.retryWith(caller.organization.id, filter, body.body);
      if (!retry) throw new Refusal("not_found", `There is no rejected entry ${params.id}.`);
      reply.header(brand.headers.position, retry.position);
      return retry;
    },
  );

  app.post(
    "/ingestion/rejected/discard",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["gateway"],
        summary: "Discard rejected entries for good: those of `ids`, or all that match",
        ...INGESTION_API["POST /api/v1/ingestion/rejected/discard"],
      },
    },
    async ({ caller, body }) => ({
      discarded: await rejectedEntries.discard(caller.organization.id, filterOf(body, caller)),
    }),
  );
}

/** A connector sees its own entries; the operator sees all of them. */
function filterOf(given: RejectedSelection, caller: Caller): RejectedFilter {
  const { ids, code, reason, text, retried: isRetried } = given;
  const connectorId = ownConnectorId(caller) ?? given.connector_id;
  return {
    ...(ids ? { ids } : {}),
    ...(connectorId === undefined ? {} : { connectorId }),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
    ...(text === undefined ? {} : { text }),
    ...(isRetried === undefined ? {} : { isRetried }),
  };
}
