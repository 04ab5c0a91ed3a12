import { type Static, Type } from "typebox";
import { ATTRIBUTE_TYPES } from "./choices.js";
import { Job } from "./jobs.js";
import { OptionalPageQuery } from "./paging.js";
import { nullable, withDefault } from "./schema.js";
import { AttributeValue } from "./values.js";

const OptionalText = nullable(Type.String());
const Types = Type.Enum([...ATTRIBUTE_TYPES]);
const WORDS = {
  label: Type.String({
    maxLength: 200,
    description: "How people call it; empty when they call it by its name. The name and the key stay.",
  }),
  description: Type.String({ maxLength: 2_000, description: "What it means." }),
};

export const Attribute = Type.Object(
  {
    name: Type.String({ description: "Without the prefix of reports." }),
    key: Type.String({ description: "As in reports." }),
    type: Types,
    visible: Type.Boolean(),
    track_changes: Type.Boolean(),
    server_only: Type.Boolean({
      description:
        "Whether end users may not write it. Without a mark of its own, an attribute of a group follows the first attribute of the group: it is server-only when a connector made that.",
    }),
    ...WORDS,
    group: nullable(Type.String(), { description: "What is before the `/` of the name." }),
    source: OptionalText,
    first_seen_at: OptionalText,
    last_seen_at: OptionalText,
    count: Type.Integer({ description: "How many users or accounts have a value." }),
  },
  { additionalProperties: true, component: "Attribute", description: "The definition of an attribute." },
);
export type Attribute = Static<typeof Attribute>;

export const AttributeChange = Type.Object({
  type: Type.Optional(
    Type.Enum([...ATTRIBUTE_TYPES], {
      description: "Only for a new attribute. A type changes by a conversion alone, see `/attributes/convert`.",
    }),
  ),
  visible: Type.Optional(Type.Boolean({ description: "False hides the attribute in reports." })),
  track_changes: Type.Optional(Type.Boolean({ description: "False stops the event `attributes_changed` for it." })),
  server_only: Type.Optional(
    nullable(Type.Boolean(), { description: "True: end users may not write it. Null: as its group says." }),
  ),
  label: Type.Optional(WORDS.label),
  description: Type.Optional(WORDS.description),
});
export type AttributeChange = Static<typeof AttributeChange>;

export const ReportKey = Type.Object(
  {
    key: Type.String(),
    type: Type.Enum(["string", "number", "date", "boolean", "array", "json"]),
    visible: Type.Boolean(),
    track_changes: Type.Boolean(),
    label: Type.String({ description: "How people call it; empty when they call it by its name." }),
    configurable: Type.Boolean({ description: "Whether it is a custom attribute, not a standard field." }),
    created_at: OptionalText,
    updated_at: OptionalText,
  },
  { additionalProperties: true, component: "ReportKey", description: "One key of reports." },
);
export type ReportKey = Static<typeof ReportKey>;

export const ReportKeyTree = Type.Object(
  {
    version: Type.Literal("new"),
    tree: Type.Array(
      Type.Object({
        text: Type.String({ description: "The group." }),
        children: Type.Array(Type.Object({ id: Type.String(), text: Type.String(), type: Type.String() })),
      }),
    ),
  },
  { component: "ReportKeyTree", description: "The keys of reports, by group." },
);
export type ReportKeyTree = Static<typeof ReportKeyTree>;

export const AttributeFigure = Type.Object(
  {
    key: Type.String({ description: "As in reports." }),
    name: Type.String({ description: "Without the prefix of reports." }),
    type: Types,
    group: nullable(Type.String(), { description: "What is before the `/` of the name." }),
    standard: Type.Boolean({ description: "Whether it is a standard field, whose definition is fixed." }),
    visible: Type.Boolean(),
    track_changes: Type.Boolean(),
    server_only: Type.Boolean({ description: "Whether end users may not write it." }),
    ...WORDS,
    removing: Type.Boolean({ description: "Whether a job deletes it everywhere." }),
    source: nullable(Type.Object({ connector_id: Type.String(), job_id: OptionalText }), {
      description: "The connector that wrote the first value, and the import when it was one.",
    }),
    count: nullable(Type.Integer(), {
      description: "How many users or accounts have a value; null when that is not counted.",
    }),
    first_seen_at: OptionalText,
    last_seen_at: nullable(Type.String(), { description: "When a record carried it last, to the minute." }),
  },
  { component: "AttributeFigure", description: "A field of reports, and how many have a value of it." },
);
export type AttributeFigure = Static<typeof AttributeFigure>;

export const WaitingAttribute = Type.Object({
  name: Type.String(),
  type: Type.String({ description: "The type of the refused value." }),
  senders: Type.Integer({
    description:
      "How many networks of browsers, and users with a token, sent it. From five on it is defined by itself.",
  }),
  first_at: Type.String(),
  last_at: Type.String(),
});
export type WaitingAttribute = Static<typeof WaitingAttribute>;

function figuresOf(subjects: string) {
  return {
    response: {
      200: Type.Object({
        total: Type.Integer({ description: `How many ${subjects} there are.` }),
        position: Type.String({ description: "The position up to which records are counted at least." }),
        age_ms: Type.Integer({ description: "How many milliseconds ago that was still all there was." }),
        attributes: Type.Array(AttributeFigure),
        waiting: Type.Array(WaitingAttribute, {
          description:
            "Attributes that end users sent and that are not defined: they have defined as many as they may. At most 100; those that most senders have sent come first.",
        }),
      }),
    },
  };
}

const Bars = Type.Array(
  Type.Object({ value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]), count: Type.Integer() }),
);

export const Distribution = Type.Object({
  key: Type.String(),
  type: Type.String(),
  total: Type.Integer(),
  missing: Type.Integer(),
  distinct: Type.Integer(),
  top: Bars,
  histogram: Bars,
});
export type Distribution = Static<typeof Distribution>;

// A wildcard, because names contain slashes between their groups, which clients send plain or encoded.
const params = Type.Object({ "*": Type.String({ minLength: 1, maxLength: 300, description: "Attribute name." }) });

const list = { querystring: OptionalPageQuery, response: { 200: Type.Array(Attribute) } };
const read = { params, response: { 200: Attribute } };
const put = {
  params,
  querystring: AttributeChange,
  body: Type.Optional(nullable(AttributeChange)),
  response: { 200: Attribute },
};
const GroupMark = Type.Object({ server_only: Type.Boolean({ description: "True: end users may not write them." }) });
const putGroup = {
  params: Type.Object({ group: Type.String({ minLength: 1, maxLength: 256, description: "The name of the group." }) }),
  body: GroupMark,
  response: { 200: Type.Object({ group: Type.String(), ...GroupMark.properties }) },
};
const keys = { querystring: OptionalPageQuery, response: { 200: Type.Array(ReportKey) } };
const tree = { response: { 200: ReportKeyTree } };
const distribution = {
  params,
  querystring: Type.Object({
    size: withDefault(10, Type.Integer({ minimum: 1, maximum: 100, description: "Number of values." })),
    segment_id: Type.Optional(Type.String({ description: "Only members of this segment." })),
  }),
  response: { 200: Distribution },
};

const Rewritten = {
  object: withDefault("users", Type.Enum(["users", "accounts"], { description: "Whose attribute it is." })),
  name: Type.String({ minLength: 1, maxLength: 300, description: "With or without the prefix of reports." }),
};
const Converted = Type.Object({ ...Rewritten, type: Types });

export const ConversionPreview = Type.Object(
  {
    total: Type.Integer({ description: "How many have a value." }),
    checked: Type.Integer({ description: "How many of them were read." }),
    converted: Type.Integer({ description: "How many of these values can be converted, or fit already." }),
    lost: Type.Integer({ description: "How many cannot. They would be unset." }),
    examples: Type.Array(Type.Object({ id: Type.String(), value: AttributeValue, reason: Type.String() }), {
      description: "Values that cannot be converted, at most ten.",
    }),
    segments: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: "Segments that ask for the attribute.",
    }),
  },
  { component: "ConversionPreview", description: "What a conversion of an attribute would do." },
);
export type ConversionPreview = Static<typeof ConversionPreview>;

export const ATTRIBUTES_API = {
  "POST /api/v1/attributes/preview": { body: Converted, response: { 200: ConversionPreview } },
  "POST /api/v1/attributes/convert": { body: Converted, response: { 201: Job } },
  "POST /api/v1/attributes/delete": { body: Type.Object(Rewritten), response: { 201: Job } },
  "GET /api/v1/settings/user_traits": list,
  "GET /api/v1/settings/account_traits": list,
  "GET /api/v1/settings/user_traits/{*}": read,
  "GET /api/v1/settings/account_traits/{*}": read,
  "PUT /api/v1/settings/user_trait_groups/{group}": putGroup,
  "PUT /api/v1/settings/account_trait_groups/{group}": putGroup,
  "PUT /api/v1/settings/user_traits/{*}": put,
  "PUT /api/v1/settings/account_traits/{*}": put,
  "GET /api/v1/users/schema": keys,
  "GET /api/v1/accounts/schema": keys,
  "GET /api/v1/search/user_reports/bootstrap": tree,
  "GET /api/v1/search/account_reports/bootstrap": tree,
  "GET /api/v1/users/attributes": figuresOf("users"),
  "GET /api/v1/accounts/attributes": figuresOf("accounts"),
  "GET /api/v1/charts/user_traits/{*}": distribution,
  "GET /api/v1/charts/account_traits/{*}": distribution,
};
