import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { freeObject, nullable } from "./schema.js";
import { OptionalTime, Time } from "./values.js";

// Larger ids are not exact in JSON, and the database's own limit is not much higher.
const LARGEST_ID = Number.MAX_SAFE_INTEGER;
const LETTERS_AT_ONCE = 10_000;

const Filter = Type.Object({
  connector_id: Type.Optional(Type.String({ description: "The operator alone; a connector sees its own." })),
  channel: Type.Optional(Type.String({ description: "Such as `user:update`." })),
  entity_id: Type.Optional(
    Type.String({ description: "The user, account or other object that the message is about." }),
  ),
  reason: Type.Optional(Type.String({ description: "Part of the reason." })),
  cause: Type.Optional(Type.String({ description: "The cause of a group." })),
  up_to: Type.Optional(
    Type.Integer({ maximum: LARGEST_ID, description: "Only letters up to this id: those that were seen." }),
  ),
});

const DeadLetterSelection = Type.Object({
  ...Filter.properties,
  ids: Type.Optional(Type.Array(Type.Integer({ maximum: LARGEST_ID }), { minItems: 1, maxItems: LETTERS_AT_ONCE })),
});
export type DeadLetterSelection = Static<typeof DeadLetterSelection>;

export const DeadLetter = Type.Object(
  {
    id: Type.Integer(),
    connector_id: Type.String(),
    channel: Type.String(),
    entity_id: Type.String(),
    reason: Type.String(),
    attempts: Type.Integer(),
    created_at: Time,
    cause: Type.String({ description: "Why, in words that are the same for all letters of a group." }),
    edited_by: nullable(Type.String(), { description: "Who has edited the message." }),
    edited_at: OptionalTime,
  },
  { component: "DeadLetter", description: "A message that could not be delivered." },
);
export type DeadLetter = Static<typeof DeadLetter>;

const FailedRequest = Type.Object(
  {
    url: Type.String(),
    notification_id: Type.String(),
    messages: Type.Integer({ description: "How many messages the call had." }),
    sent_at: Type.String(),
  },
  {
    description:
      "The last call that failed. Of messages that were given up together, because the connector was away, it is the last call to the connector. Its texts are empty when a message waited too long without any call.",
  },
);

const FailedAnswer = nullable(Type.Object({ status: Type.Integer(), body: Type.String() }), {
  description:
    "What the connector answered, or its service, if the connector reported that the service refused the message; null when there was no answer.",
});

export const DeadLetterDetails = Type.Object(
  {
    ...DeadLetter.properties,
    url: Type.String({ description: "The path of the subscription." }),
    request: FailedRequest,
    answer: FailedAnswer,
    message: Type.Unsafe<object>(freeObject("The message as it is stored.")),
  },
  { component: "DeadLetterDetails", description: "A dead letter, its message and the last call." },
);
export type DeadLetterDetails = Static<typeof DeadLetterDetails>;

export const DeadLetterGroup = Type.Object(
  {
    connector_id: Type.String(),
    cause: Type.String(),
    letters: Type.Integer(),
    first_at: Time,
    last_at: Time,
    newest_id: Type.Integer({ description: "To retry or discard no letters that came later: `up_to`." }),
  },
  { component: "DeadLetterGroup", description: "The dead letters of a connector with the same cause." },
);
export type DeadLetterGroup = Static<typeof DeadLetterGroup>;

const left = Type.Optional(
  Type.Integer({
    description: "How many that match are left; 10,000 at most are counted. Only when `limit` is given.",
  }),
);
const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: LETTERS_AT_ONCE, description: "At most so many. Default: all." }),
);

const RetriedLetters = Type.Object({ retried: Type.Integer(), left });
export type RetriedLetters = Static<typeof RetriedLetters>;

const DiscardedLetters = Type.Object({ discarded: Type.Integer(), left });
export type DiscardedLetters = Static<typeof DiscardedLetters>;

const params = Type.Object({
  id: Type.Integer({ maximum: LARGEST_ID, description: "The number of the dead letter." }),
});
const querystring = Type.Object({ ...PageQuery.properties, ...Filter.properties });

/** Messages that could not be delivered: to look at, to send again, to discard. */
export const DEAD_LETTERS_API = {
  "GET /api/v1/dead_letters": { querystring, response: { 200: Type.Array(DeadLetter) } },
  "GET /api/v1/dead_letters/groups": { querystring, response: { 200: Type.Array(DeadLetterGroup) } },
  "GET /api/v1/dead_letters/{id}": { params, response: { 200: DeadLetterDetails } },
  "PUT /api/v1/dead_letters/{id}": {
    params,
    body: Type.Object({ message: freeObject("The whole message, as reading the dead letter shows it.") }),
    response: { 200: DeadLetterDetails },
  },
  "POST /api/v1/dead_letters/retry": {
    body: Type.Object({ ...DeadLetterSelection.properties, limit }),
    response: { 200: RetriedLetters },
  },
  "POST /api/v1/dead_letters/discard": {
    body: Type.Object({ ...DeadLetterSelection.properties, limit }),
    response: { 200: DiscardedLetters },
  },
};
