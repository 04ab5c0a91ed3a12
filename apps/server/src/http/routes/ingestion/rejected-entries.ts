import { type Brand, Refusal } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { type Static, Type } from "typebox";
import type { RejectedFilter } from "../../../domain/entries/rejected-filter.js";
import type { RejectedEntries } from "../../../pipeline/rejected-entries.js";
import type { App } from "../../app-type.js";
import { type Caller, ownConnectorId } from "../../auth/caller.js";
import { freeObject } from "../../reference/named-schema.js";
import { describePage, limitsOf } from "../pagination.js";

export interface RejectedEntryRoutesOptions {
  rejectedEntries: RejectedEntries;
  brand: Brand;
}

// Larger ids are not exact in JSON, and the database's own limit is not much higher.
const LARGEST_ID = Number.MAX_SAFE_INTEGER;

const Filter = Type.Object({
  connector_id: Type.Optional(Type.String({ description: "The operator alone; a connector sees its own." })),
  code: Type.Optional(Type.String({ description: "Such as `invalid_attribute`." })),
  reason: Type.Optional(Type.String({ description: "A whole reason, as the list of reasons has it." })),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "Part of the entry: an identifier, a name, a value." }),
  ),
  retried: Type.Optional(Type.Boolean({ description: "Only entries that were retried, or only those that were not." })),
});

const Selection = Type.Object({
  ...Filter.properties,
  ids: Type.Optional(Type.Array(Type.Integer({ maximum: LARGEST_ID }), { minItems: 1, maxItems: 5_000 })),
});

const RejectedEntryRecord = Type.Object({
  id: Type.Integer(),
  connector_id: Type.String(),
  code: Type.String(),
  message: Type.String(),
  reason: Type.String({ description: "The message without the values of this entry." }),
  entry: freeObject("The entry as it was accepted, with the parts that were refused."),
  rejected_at: Type.String(),
  retried_at: Type.Union([Type.String(), Type.Null()]),
});

const ReasonRecord = Type.Object({
  code: Type.String(),
  reason: Type.String({ description: "What the entries have in common: their messages without their values." }),
  count: Type.Integer(),
  waiting: Type.Integer({ description: "How many of them were not retried." }),
  connector_ids: Type.Array(Type.String()),
  first_at: Type.String(),
  last_at: Type.String(),
});

const RetryAnswer = Type.Object({ retried: Type.Integer(), position: Type.Union([Type.String(), Type.Null()]) });

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
        querystring: Type.Object({ ...PageQuery.properties, ...Filter.properties }),
        response: { 200: Type.Array(RejectedEntryRecord) },
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
        querystring: Type.Object({ ...PageQuery.properties, ...Filter.properties }),
        response: { 200: Type.Array(ReasonRecord) },
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
        body: Selection,
        response: { 200: RetryAnswer },
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
        params: Type.Object({
          id: Type.Integer({ maximum: LARGEST_ID, description: "The number of the rejected entry." }),
        }),
        body: Type.Object({ body: freeObject("The new body of the entry: attributes, or an event.") }),
        response: { 200: RetryAnswer },
      },
    },
    async ({ caller, params, body }, reply) => {
      const filter = { ...filterOf({}, caller), ids: [params.id] as const };
      // The schema of the route lets any object through, whose type has no keys.
      const edited = body.body as Record<string, unknown>;
      const retry = await rejectedEntries.retryWith(caller.organization.id, filter, edited);
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
        body: Selection,
        response: { 200: Type.Object({ discarded: Type.Integer() }) },
      },
    },
    async ({ caller, body }) => ({
      discarded: await rejectedEntries.discard(caller.organization.id, filterOf(body, caller)),
    }),
  );
}

/** A connector sees its own entries; the operator sees all of them. */
function filterOf(given: Static<typeof Selection>, caller: Caller): RejectedFilter {
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
