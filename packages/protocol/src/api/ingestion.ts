import { type Static, Type } from "typebox";
import { ENTRY_TYPES } from "../batch.js";
import { Identifiers, SentEntry, TrackBody, TraitsBody } from "./entries.js";
import { PageQuery } from "./paging.js";
import { anyObjectAs, anyValueAs, freeObject, nullable } from "./schema.js";

/**
 * The result of an entry.
 * - `accepted`: it is in the ingestion log
 * - `duplicate`: it was sent before, and has no second effect
 * - `refused`: it has a verdict, and is stored nowhere
 * - `rejected`: it was accepted, and could not be applied as a whole or in part
 */
export const ENTRY_OUTCOMES = ["accepted", "duplicate", "refused", "rejected"] as const;

/** The header by which a sender marks a request that it may send again. */
const IdempotencyHeaders = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      description: "A request with a key that was used before changes nothing, and gets the first answer again.",
    }),
  ),
});

const OptionalText = nullable(Type.String());
const time = (description: string) => Type.Union([Type.String(), Type.Number()], { description });

export const RecentFilter = Type.Object({
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: "The `after` of the answer before. Default: all that are kept." }),
  ),
  outcome: Type.Optional(Type.Enum([...ENTRY_OUTCOMES], { description: "What became of the entry." })),
  type: Type.Optional(Type.Enum([...ENTRY_TYPES], { description: "The type of the entry." })),
  event: Type.Optional(Type.String({ maxLength: 500, description: "The name of an event." })),
  connector_id: Type.Optional(Type.String({ description: "The operator alone; a connector sees its own." })),
  user: Type.Optional(Type.String({ maxLength: 500, description: "An identifier that the entry names its user by." })),
});
export type RecentFilter = Static<typeof RecentFilter>;

export const RecentEntry = Type.Object(
  {
    id: Type.Integer({ description: "The same in the answers to all sets of parameters." }),
    number: Type.Integer({ description: "Its place among the entries for these parameters." }),
    at: Type.String({ description: "When Muster decided about the entry." }),
    outcome: Type.Enum([...ENTRY_OUTCOMES]),
    source: Type.Enum(["connector", "browser", "import"]),
    connector_id: Type.String(),
    type: OptionalText,
    event: nullable(Type.String(), { description: "The name of the event of a `track` entry." }),
    code: nullable(Type.String(), { description: "Why it was refused or rejected." }),
    message: nullable(Type.String(), { description: "The same as a sentence." }),
    recorded_at: nullable(Type.String(), { description: "When it happened, by the entry." }),
    user: nullable(freeObject("Identifiers of the user.")),
    account: nullable(freeObject("Identifiers of the account.")),
    body: nullable(freeObject("The body of the entry, without tokens and secrets.")),
    shortened: Type.Boolean({ description: "Whether parts of the body were left out because it is large." }),
  },
  { component: "RecentEntry", description: "An entry that has just arrived, and what became of it." },
);
export type RecentEntry = Static<typeof RecentEntry>;

export const RecentPage = Type.Object({
  entries: Type.Array(RecentEntry),
  after: Type.Integer({ description: "For the next call." }),
  missed: Type.Integer({ description: "How many came between two calls and were not kept." }),
  since: Type.String({ description: "When keeping began. Earlier entries are not here." }),
});
export type RecentPage = Static<typeof RecentPage>;

// Larger ids are not exact in JSON, and the database's own limit is not much higher.
const LARGEST_ID = Number.MAX_SAFE_INTEGER;

export const RejectedFilter = Type.Object({
  connector_id: Type.Optional(Type.String({ description: "The operator alone; a connector sees its own." })),
  code: Type.Optional(Type.String({ description: "Such as `invalid_attribute`." })),
  reason: Type.Optional(Type.String({ description: "A whole reason, as the list of reasons has it." })),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "Part of the entry: an identifier, a name, a value." }),
  ),
  retried: Type.Optional(Type.Boolean({ description: "Only entries that were retried, or only those that were not." })),
});
export type RejectedFilter = Static<typeof RejectedFilter>;

export const RejectedSelection = Type.Object({
  ...RejectedFilter.properties,
  ids: Type.Optional(Type.Array(Type.Integer({ maximum: LARGEST_ID }), { minItems: 1, maxItems: 5_000 })),
});
export type RejectedSelection = Static<typeof RejectedSelection>;

export const RejectedEntry = Type.Object({
  id: Type.Integer(),
  connector_id: Type.String(),
  code: Type.String(),
  message: Type.String(),
  reason: Type.String({ description: "The message without the values of this entry." }),
  entry: freeObject("The entry as it was accepted, with the parts that were refused."),
  rejected_at: Type.String(),
  retried_at: OptionalText,
});
export type RejectedEntry = Static<typeof RejectedEntry>;

export const RefusedAttribute = Type.Object({
  name: Type.String({ description: "As it was sent." }),
  message: Type.String({ description: "Why it is not applied." }),
});

export const RejectedReason = Type.Object({
  code: Type.String(),
  reason: Type.String({ description: "What the entries have in common: their messages without their values." }),
  count: Type.Integer(),
  waiting: Type.Integer({ description: "How many of them were not retried." }),
  connector_ids: Type.Array(Type.String()),
  first_at: Type.String(),
  last_at: Type.String(),
});
export type RejectedReason = Static<typeof RejectedReason>;

const Retried = Type.Object({ retried: Type.Integer(), position: OptionalText });
const listRejected = Type.Object({ ...PageQuery.properties, ...RejectedFilter.properties });

const Position = Type.Object({ position: Type.String({ description: "Where the entry is in the ingestion log." }) });
const headers = IdempotencyHeaders;
const response = { 200: Position };
const setTraits = {
  headers,
  body: anyObjectAs(TraitsBody),
  response: {
    200: Type.Object({
      ...Position.properties,
      refused_attributes: Type.Optional(
        Type.Array(RefusedAttribute, {
          description:
            "New attributes that are not applied, because end users have defined as many as they may. The others are.",
        }),
      ),
    }),
  },
};

export const INGESTION_API = {
  "POST /firehose": {
    headers,
    body: Type.Object({
      timestamp: time("When the batch was made."),
      sentAt: time("When it was sent, by the sender's clock."),
      batch: Type.Array(anyValueAs(SentEntry), { description: "The entries, in the order in which they happened." }),
    }),
    response: {
      200: Type.Object({
        position: Type.String({ description: "Where the batch is in the ingestion log." }),
        accepted: Type.Integer({ description: "How many entries were accepted." }),
        rejected: Type.Array(Type.Object({ index: Type.Integer(), code: Type.String(), message: Type.String() }), {
          description: "The entries that were refused, by their place in the batch, and why.",
        }),
        duplicate: Type.Boolean({
          description: "Whether the batch was sent before; the answer is then the first one.",
        }),
      }),
    },
  },
  "POST /api/v1/t": {
    headers,
    body: anyObjectAs(TrackBody),
    response: { 204: Type.Null({ description: "The event is stored." }) },
  },
  "POST /api/v1/me/track": { headers, body: anyObjectAs(TrackBody), response },
  "PUT /api/v1/me/traits": setTraits,
  "POST /api/v1/me/traits": setTraits,
  "POST /api/v1/me/alias": { headers, body: anyObjectAs(Identifiers), response },
  "DELETE /api/v1/me/alias": {
    headers,
    body: nullable(anyObjectAs(Identifiers)),
    querystring: Type.Object({
      anonymous_id: Type.Optional(Type.String({ description: "For clients that send no body with DELETE." })),
    }),
    response,
  },
  "GET /api/v1/ingestion/recent": { querystring: RecentFilter, response: { 200: RecentPage } },
  "GET /api/v1/ingestion/rejected": { querystring: listRejected, response: { 200: Type.Array(RejectedEntry) } },
  "GET /api/v1/ingestion/rejected/reasons": {
    querystring: listRejected,
    response: { 200: Type.Array(RejectedReason) },
  },
  "POST /api/v1/ingestion/rejected/retry": { body: RejectedSelection, response: { 200: Retried } },
  "POST /api/v1/ingestion/rejected/{id}/retry": {
    params: Type.Object({
      id: Type.Integer({ maximum: LARGEST_ID, description: "The number of the rejected entry." }),
    }),
    body: Type.Object({ body: freeObject("The new body of the entry: attributes, or an event.") }),
    response: { 200: Retried },
  },
  "POST /api/v1/ingestion/rejected/discard": {
    body: RejectedSelection,
    response: { 200: Type.Object({ discarded: Type.Integer() }) },
  },
};
