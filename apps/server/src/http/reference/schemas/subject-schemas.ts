import { type FieldType, STANDARD_FIELDS, type Target } from "@muster/query";
import {
  freeMap,
  listOf,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectOf,
  refTo,
  type Schema,
  type Schemas,
  TEXT,
  TIME,
} from "./schema.js";

const FIELD_SCHEMAS: Record<FieldType, Schema> = {
  string: OPTIONAL_TEXT,
  numeric: { type: ["number", "null"] },
  boolean: { type: ["boolean", "null"] },
  date: OPTIONAL_TIME,
  array: listOf(refTo("AttributeValue")),
  json: refTo("AttributeValue"),
};

/** The standard fields of a report. A search with `include` leaves fields out, so none is required but the id. */
function reportOf(target: Target, more: Schemas, description: string): Schema {
  const standard = Object.entries(STANDARD_FIELDS[target]).map(([name, type]) => [name, FIELD_SCHEMAS[type]]);
  const properties: Schemas = { ...Object.fromEntries(standard), id: TEXT, ...more };
  return { type: "object", properties, additionalProperties: refTo("AttributeValue"), description };
}

const IDENTITY = objectOf(
  {
    id: TEXT,
    created_at: TIME,
    name: OPTIONAL_TEXT,
    description: OPTIONAL_TEXT,
    stats: {
      type: "object",
      properties: {
        sign_in_count: { type: "integer", description: "Of a connector: sign-ins with its tokens." },
        last_sign_in_at: TIME,
        events: { type: "integer", description: "Of an anonymous id: events that came with it." },
      },
      additionalProperties: false,
      description: "Figures of the identity. Nothing is counted for an email or an external id.",
    },
    tags: listOf(refTo("AttributeValue")),
    picture: OPTIONAL_TEXT,
    type: { const: "identity" },
    provider: { ...TEXT, description: "`external`, `email`, `anonymous`, or the name of a connector." },
    uid: { ...TEXT, description: "The identifier." },
    login: TEXT,
    email: TEXT,
    first_name: TEXT,
    last_name: TEXT,
  },
  ["login", "email", "first_name", "last_name"],
);

const USER = objectOf(
  {
    id: TEXT,
    type: { const: "user" },
    created_at: OPTIONAL_TIME,
    updated_at: OPTIONAL_TIME,
    last_seen_at: OPTIONAL_TIME,
    name: OPTIONAL_TEXT,
    first_name: OPTIONAL_TEXT,
    last_name: OPTIONAL_TEXT,
    username: OPTIONAL_TEXT,
    description: OPTIONAL_TEXT,
    email: OPTIONAL_TEXT,
    contact_email: OPTIONAL_TEXT,
    phone: OPTIONAL_TEXT,
    picture: OPTIONAL_TEXT,
    tags: listOf(refTo("AttributeValue")),
    extra: freeMap(refTo("AttributeValue"), "The custom attributes."),
    profile: freeMap(refTo("AttributeValue"), "The standard fields that have a value."),
    address: refTo("AttributeValue"),
    settings: objectOf({
      notifications: freeMap(refTo("AttributeValue"), "Which notifications the user wants, as an admin has set it."),
    }),
    stats: objectOf({
      actions: freeMap({ type: "integer" }, "The number of events of the user, by name."),
      liked: { type: "integer", description: "The number of entities that the user likes." },
      sign_in_count: { type: "integer" },
    }),
    confirmed: { type: "boolean", description: "Whether the user has signed in with a token." },
    is_admin: { type: "boolean", description: "A mark of the user that an admin sets." },
    approved: {
      type: "boolean",
      description: "A mark of the user that an admin sets; true unless one says otherwise.",
    },
    main_identity: { ...OPTIONAL_TEXT, description: "The provider of the strongest identity." },
    identities: listOf(IDENTITY),
    sign_in: {
      anyOf: [objectOf({ created_at: TIME, app_id: TEXT, url: OPTIONAL_TEXT }), { type: "null" }],
      description: "The last sign-in.",
    },
  },
  [],
  "A user.",
);

const SIGNED_IN = {
  ...USER,
  properties: { ...USER.properties, access_token: { ...TEXT, description: "A token of this user, for later calls." } },
  required: [...USER.required, "access_token"],
  description: "A user, with a token to act as this user.",
};

const EVENT_FIELDS: Schemas = {
  id: TEXT,
  event: { ...TEXT, description: "The name of the event." },
  event_id: { ...TEXT, description: "Events with the same id replace one another." },
  event_source: { ...TEXT, description: "Who sent it; `platform` for events of Muster itself." },
  event_type: TEXT,
  created_at: TIME,
  user_id: TEXT,
  account_id: OPTIONAL_TEXT,
  anonymous_id: OPTIONAL_TEXT,
  session_id: OPTIONAL_TEXT,
  entity_id: { ...TEXT, description: "The entity that the user acted on." },
  properties: freeMap(refTo("AttributeValue"), "What the sender tells about the event."),
  context: freeMap(refTo("AttributeValue"), "Address, user agent, page, referrer and campaign, where they are known."),
};

const SEARCHED_EVENT: Schema = {
  type: "object",
  properties: { ...EVENT_FIELDS, _id: TEXT },
  additionalProperties: refTo("AttributeValue"),
  description: "An event that a search found. With `include` it has only those fields.",
};

/** Users, accounts and events as the API shows them. */
export const SUBJECT_SCHEMAS: Schemas = {
  AttributeValue: {
    type: ["string", "number", "boolean", "array", "object", "null"],
    description: "The value of an attribute or property: any JSON value. Dates are ISO 8601 texts.",
  },
  UserReport: reportOf(
    "user",
    {
      account: { anyOf: [refTo("AccountReport"), { type: "null" }], description: "The account of the user." },
      segments: listOf(refTo("AttributeValue"), "The segments of the user, where a search includes them."),
    },
    "All about a user, in one flat object: standard fields, then custom attributes with the prefix `traits_`.",
  ),
  AccountReport: reportOf(
    "account",
    {},
    "All about an account, in one flat object: standard fields and custom attributes, without a prefix.",
  ),
  Account: {
    allOf: [refTo("AccountReport"), { type: "object", properties: { type: { const: "account" } }, required: ["type"] }],
    description: "An account: its report and its type.",
  },
  User: USER,
  SignedInUser: SIGNED_IN,
  Me: {
    anyOf: [refTo("SignedInUser"), { const: false }],
    description: "The user of the token, or the literal `false` when nobody is known.",
  },
  Event: { ...objectOf(EVENT_FIELDS, ["entity_id"]), description: "An event of a user." },
  SearchedEvent: SEARCHED_EVENT,
};
