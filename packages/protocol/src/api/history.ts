import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { ATTRIBUTE_TYPES } from "./choices.js";
import { Trace } from "./deliveries.js";
import { Identifiers } from "./entries.js";
import { anyObjectAs, mapOf, nullable, withDefault } from "./schema.js";
import { AttributeValue, MomentQuery, OptionalText, OptionalTime, Time } from "./values.js";

/** What a timeline consists of. */
export const TIMELINE_KINDS = ["event", "change", "segment", "delivery", "merge", "unmerge", "comment"] as const;

/** The schema with another description. */
function described<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema>>({ ...schema, description });
}

export const Writer = Type.Object(
  {
    connector_id: described(OptionalText, "Null when the operator or a member wrote it."),
    connector_name: described(OptionalText, "Null when the connector was removed."),
    job_id: described(OptionalText, "The import that wrote it."),
    member_id: Type.Optional(described(OptionalText, "The member who wrote it by hand.")),
    member_name: Type.Optional(described(OptionalText, "Null when the member was removed.")),
    computed_id: Type.Optional(described(OptionalText, "The computed attribute that the value is of.")),
  },
  { component: "Writer", description: "Who wrote a value." },
);
export type Writer = Static<typeof Writer>;

const OptionalWriter = nullable(Writer, { description: "Null when it was not kept." });
const IdentifierLists = mapOf(Type.Array(Type.String()), "The values, by the kind of identifier.");

const MERGE = {
  merged_id: Type.String({ description: "The id that the merged one had." }),
  merged_identifiers: IdentifierLists,
  cause: nullable(
    Type.Object({
      identifier: Type.String({ description: "The kind of the identifier that a record named." }),
      value: Type.String(),
      recorded_at: OptionalTime,
      written_by: OptionalWriter,
    }),
    { description: "Why they were merged; null when it was not kept." },
  ),
};

export const Merge = Type.Object(MERGE);
/** A subject that was merged into another one. */
export type Merge = Static<typeof Merge>;

export const AttributeState = Type.Object(
  {
    name: Type.String(),
    key: Type.String({ description: "The key in reports." }),
    type: Type.Enum([...ATTRIBUTE_TYPES]),
    group: OptionalText,
    value: AttributeValue,
    proved: Type.Boolean({
      description:
        "False when a page said it alone: nobody has proved that it is of this user, and every proved value replaces it. Also false when it is computed from what pages said alone, or may be.",
    }),
    set_at: described(OptionalTime, "The time of the record that wrote it last."),
    set_by: nullable(Writer, { description: "Who wrote it last; null for fields that Muster keeps itself." }),
    changed_at: described(OptionalTime, "When the latest change that is kept was applied."),
    tracked: Type.Boolean({ description: "Whether changes are kept." }),
    computed: Type.Boolean({ description: "Whether Muster keeps this field itself." }),
    previous: Type.Array(
      Type.Object({
        value: AttributeValue,
        until: described(Time, "When the next value replaced it."),
        replaced_by: OptionalWriter,
      }),
      { description: "The values before, the latest first, at most 20." },
    ),
  },
  { component: "AttributeState", description: "An attribute of one user or account, and where its value comes from." },
);
export type AttributeState = Static<typeof AttributeState>;

export const ProbablySame = Type.Object(
  {
    id: Type.String(),
    name: OptionalText,
    email: Type.String({ description: "The email that the visitor typed and that the other one has proved." }),
    anonymous_ids: Type.Array(Type.String()),
    proved: Type.Boolean({
      description: "Whether this is the one who has proved the email; otherwise it is a visitor.",
    }),
  },
  { component: "ProbablySame", description: "A user who is probably the same person. Nobody has proved it." },
);
export type ProbablySame = Static<typeof ProbablySame>;

export const SubjectIdentity = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(["user", "account"]),
    identifiers: IdentifierLists,
    probably_same: Type.Array(ProbablySame, {
      description:
        "Visitors who typed an email that this user has proved, or the user who has proved the email that this visitor typed. At most 20. To join them, add an anonymous id of the visitor to the user.",
    }),
    merges: Type.Array(Type.Object({ merged_at: Time, ...MERGE }), {
      description: "What was merged into it, the latest first.",
    }),
  },
  { component: "SubjectIdentity", description: "What a user or account is found by." },
);
export type SubjectIdentity = Static<typeof SubjectIdentity>;

function itemOf<Kind extends string, Details extends TProperties>(kind: Kind, details: Details, description: string) {
  return Type.Object({ id: Type.String(), at: Time, kind: Type.Literal(kind), ...details }, { description });
}

const EventItem = itemOf(
  "event",
  {
    event: Type.String(),
    source: Type.String(),
    type: Type.String(),
    user_id: Type.String(),
    session_id: OptionalText,
    anonymous_id: OptionalText,
    properties: mapOf(AttributeValue, "What the sender tells about the event."),
    context: mapOf(AttributeValue, "Address, user agent, page, referrer and campaign, where they are known."),
  },
  "An event.",
);
const ChangeItem = itemOf(
  "change",
  {
    changes: Type.Array(
      Type.Object({
        name: Type.String(),
        from: AttributeValue,
        to: AttributeValue,
        written_by: OptionalWriter,
      }),
    ),
  },
  "Attributes that changed together.",
);
const SegmentItem = itemOf(
  "segment",
  {
    segment_id: Type.String(),
    segment_name: Type.String(),
    entered: Type.Boolean({ description: "False when it was left." }),
  },
  "A move in or out of a segment.",
);
const DeliveryItem = itemOf(
  "delivery",
  {
    connector_id: Type.String(),
    connector_name: OptionalText,
    channel: Type.String(),
    result: Trace.properties.result,
    status: Trace.properties.status,
    duration_ms: Type.Integer(),
    reason: Type.String({ description: "Why the message was not delivered; empty when it was." }),
    reported: Trace.properties.reported,
    body: Trace.properties.body,
    notification_id: Type.String(),
    message_id: Type.String(),
  },
  "A message to a connector.",
);
const MergeItem = itemOf("merge", MERGE, "Another user or account was merged into this one.");
const UnmergeItem = itemOf(
  "unmerge",
  {
    survivor_id: Type.String(),
    unmerged_id: Type.String({ description: "The one that was split off." }),
    unmerged_identifiers: IdentifierLists,
  },
  "The merge of two users was undone. It is in the timelines of both.",
);
const CommentItem = itemOf(
  "comment",
  { text: Type.String(), user_id: OptionalText, author_name: OptionalText },
  "A comment that somebody wrote.",
);

const ITEMS = [EventItem, ChangeItem, SegmentItem, DeliveryItem, MergeItem, UnmergeItem, CommentItem];

export const TimelineItem = Type.Unsafe<Static<(typeof ITEMS)[number]>>({
  oneOf: ITEMS,
  description: "One thing that happened. `kind` says what it is.",
  component: "TimelineItem",
});
export type TimelineItem = Static<typeof TimelineItem>;

const params = Type.Object({ id: Type.String({ description: "The id of a user or account." }) });

const changeIdentifiers = {
  params,
  body: anyObjectAs(Identifiers),
  response: {
    200: Type.Object({ position: Type.String({ description: "Where the entry is in the ingestion log." }) }),
  },
};

export const HISTORY_API = {
  "GET /api/v1/{id}/attributes": {
    params,
    querystring: MomentQuery,
    response: {
      200: Type.Object({
        attributes: Type.Array(anyObjectAs(AttributeState)),
        past: Type.Optional(
          Type.Object(
            {
              at: Time,
              known_since: described(Time, "When the user or account became known."),
              not_kept: Type.Array(Type.String(), {
                description: "The attributes whose changes are not tracked: their former values are not known.",
              }),
            },
            { description: "Only with `at`." },
          ),
        ),
      }),
    },
  },
  "PUT /api/v1/{id}/attributes": {
    params,
    body: Type.Object({
      attributes: anyObjectAs(
        mapOf(AttributeValue, "Values by attribute name, with or without the prefix of reports."),
        {
          description: "Values by attribute name, with or without the prefix of reports. Null unsets an attribute.",
        },
      ),
    }),
    response: { 200: Type.Object({ position: Type.String({ description: "The position of the record." }) }) },
  },
  "GET /api/v1/{id}/timeline": {
    params,
    querystring: Type.Object({
      kinds: Type.Optional(
        Type.String({ description: `Comma-separated: ${TIMELINE_KINDS.join(", ")}. Default: all.` }),
      ),
      name: Type.Optional(Type.String({ description: "Only events of this name." })),
      cursor: Type.Optional(Type.String({ description: "The `next` of the page before." })),
      after: Type.Optional(Type.String({ format: "date-time", description: "Only what is later than this time." })),
      per_page: withDefault(50, Type.Integer({ minimum: 1, maximum: 200, description: "Items per page." })),
    }),
    response: {
      200: Type.Object({
        items: Type.Array(anyObjectAs(TimelineItem)),
        next: nullable(Type.String(), { description: "The `cursor` of the next page; null when there is none." }),
      }),
    },
  },
  "GET /api/v1/{id}/identity": { params, response: { 200: anyObjectAs(SubjectIdentity) } },
  "POST /api/v1/{id}/alias": changeIdentifiers,
  "POST /api/v1/{id}/unalias": changeIdentifiers,
};
