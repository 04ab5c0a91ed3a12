import { type Static, type TSchema, Type } from "typebox";
import type { AttributeType } from "./choices.js";
import { Erasure } from "./erasures.js";
import { anyObjectAs, anyValueAs, type JsonObject, mapOf, nullable } from "./schema.js";
import { STANDARD_FIELDS } from "./standard-fields.js";
import { AttributeValue, MomentQuery, OptionalText, OptionalTime, Time } from "./values.js";

const FIELD_SCHEMAS: Record<AttributeType, TSchema> = {
  string: OptionalText,
  numeric: Type.Unsafe<number | null>({ type: ["number", "null"] }),
  boolean: Type.Unsafe<boolean | null>({ type: ["boolean", "null"] }),
  date: OptionalTime,
  array: Type.Array(AttributeValue),
  json: AttributeValue,
};

/** A flat report: the id, and fields by their names. A search with `include` leaves out the others. */
export type Report = JsonObject & { id: string };

function reportOf(subjectType: keyof typeof STANDARD_FIELDS, more: Record<string, TSchema>, options: object) {
  const fields = Object.entries(STANDARD_FIELDS[subjectType]).map(([name, type]) => [name, FIELD_SCHEMAS[type]]);
  return Type.Unsafe<Report>({
    type: "object",
    properties: { ...Object.fromEntries(fields), id: Type.String(), ...more },
    additionalProperties: AttributeValue,
    ...options,
  });
}

export const AccountReport = reportOf(
  "account",
  {},
  {
    description: "All about an account, in one flat object: standard fields and custom attributes, without a prefix.",
    component: "AccountReport",
  },
);

export const UserReport = reportOf(
  "user",
  {
    account: nullable(AccountReport, { description: "The account of the user." }),
    segments: Type.Array(AttributeValue, { description: "The segments of the user, where a search includes them." }),
  },
  {
    description:
      "All about a user, in one flat object: standard fields, then custom attributes with the prefix `traits_`.",
    component: "UserReport",
  },
);

export const Account = Type.Unsafe<Report & { type: "account" }>({
  allOf: [AccountReport, Type.Object({ type: Type.Literal("account") })],
  description: "An account: its report and its type.",
  component: "Account",
});
export type Account = Static<typeof Account>;

const Identity = Type.Object({
  id: Type.String(),
  created_at: Time,
  name: OptionalText,
  description: OptionalText,
  stats: Type.Object(
    {
      sign_in_count: Type.Optional(Type.Integer({ description: "Of a connector: sign-ins with its tokens." })),
      last_sign_in_at: Type.Optional(Time),
      events: Type.Optional(Type.Integer({ description: "Of an anonymous id: events that came with it." })),
    },
    {
      additionalProperties: false,
      description: "Figures of the identity. Nothing is counted for an email or an external id.",
    },
  ),
  tags: Type.Array(AttributeValue),
  picture: OptionalText,
  type: Type.Literal("identity"),
  provider: Type.String({ description: "`external`, `email`, `anonymous`, or the name of a connector." }),
  uid: Type.String({ description: "The identifier." }),
  login: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  first_name: Type.Optional(Type.String()),
  last_name: Type.Optional(Type.String()),
});

const USER = {
  id: Type.String(),
  type: Type.Literal("user"),
  created_at: OptionalTime,
  updated_at: OptionalTime,
  last_seen_at: OptionalTime,
  name: OptionalText,
  first_name: OptionalText,
  last_name: OptionalText,
  username: OptionalText,
  description: OptionalText,
  email: OptionalText,
  contact_email: OptionalText,
  phone: OptionalText,
  picture: OptionalText,
  tags: Type.Array(AttributeValue),
  extra: mapOf(AttributeValue, "The custom attributes."),
  profile: mapOf(AttributeValue, "The standard fields that have a value."),
  address: AttributeValue,
  settings: Type.Object({
    notifications: mapOf(AttributeValue, "Which notifications the user wants, as an admin has set it."),
  }),
  stats: Type.Object({
    actions: mapOf(Type.Integer(), "The number of events of the user, by name."),
    liked: Type.Integer({ description: "The number of entities that the user likes." }),
    sign_in_count: Type.Integer(),
  }),
  confirmed: Type.Boolean({ description: "Whether the user has signed in with a token." }),
  is_admin: Type.Boolean({ description: "A mark of the user that an admin sets." }),
  approved: Type.Boolean({ description: "A mark of the user that an admin sets; true unless one says otherwise." }),
  main_identity: Type.Unsafe<string | null>({
    ...OptionalText,
    description: "The provider of the strongest identity.",
  }),
  identities: Type.Array(Identity),
  sign_in: nullable(Type.Object({ created_at: Time, app_id: Type.String(), url: OptionalText }), {
    description: "The last sign-in.",
  }),
};

export const User = Type.Object(USER, { component: "User", description: "A user." });
export type User = Static<typeof User>;

export const SignedInUser = Type.Object(
  {
    ...USER,
    access_token: Type.Unsafe<string | null>({
      ...OptionalText,
      description: "A token of this user, for later calls; null when the caller cannot sign one.",
    }),
  },
  { component: "SignedInUser", description: "A user, with a token to act as this user." },
);
export type SignedInUser = Static<typeof SignedInUser>;

export const Me = Type.Union([SignedInUser, Type.Literal(false)], {
  component: "Me",
  description: "The user of the token, or the literal `false` when nobody is known.",
});

export const UserChange = Type.Object(
  {
    is_admin: Type.Optional(Type.Boolean()),
    approved: Type.Optional(Type.Boolean()),
    settings: Type.Optional(
      Type.Object(
        { notifications: Type.Optional(mapOf(AttributeValue, "Which notifications the user wants.")) },
        { description: "Replaces the settings for notifications." },
      ),
    ),
  },
  { component: "UserChange", description: "Marks of a user. Attributes are changed with `traits` entries." },
);
export type UserChange = Static<typeof UserChange>;

export const Removed = Type.Object(
  {
    id: Type.String(),
    deleted: Type.Literal(true),
    position: Type.Optional(Type.String({ description: "Of an erasure: where it is in the ingestion log." })),
    receipt: Type.Optional(
      anyObjectAs(Erasure, { description: "Of an erasure: what was removed; missing until it is applied." }),
    ),
  },
  { component: "Removed", description: "The object is gone." },
);
export type Removed = Static<typeof Removed>;

export const SUBJECTS_API = {
  "GET /api/v1/{id}/user_report": {
    params: Type.Object({ id: Type.String({ description: "The id of the user." }) }),
    querystring: MomentQuery,
    response: { 200: anyObjectAs(UserReport) },
  },
  "GET /api/v1/{id}/account_report": {
    params: Type.Object({ id: Type.String({ description: "The id of the account." }) }),
    querystring: MomentQuery,
    response: { 200: anyObjectAs(AccountReport) },
  },
  "GET /api/v1/me": { response: { 200: anyValueAs(Me) } },
  "GET /api/v1/me/user_report": { response: { 200: anyObjectAs(UserReport) } },
  "POST /api/v1/users/login": {
    body: Type.Object({
      access_token: Type.String({ minLength: 1, description: "A token of the user, signed by a connector." }),
      redirect_url: Type.Optional(
        Type.String({
          maxLength: 4_096,
          description: "Of a form: the page to go to afterwards, on a domain of the platform that the form is on.",
        }),
      ),
    }),
    response: { 200: anyObjectAs(SignedInUser) },
  },
  "GET /api/v1/logout": {
    querystring: Type.Object(
      {
        redirect_url: Type.Optional(
          Type.String({ maxLength: 4_096, description: "The page to go to afterwards, on a domain of a platform." }),
        ),
      },
      { additionalProperties: true },
    ),
    response: { 200: Type.Object({ signed_out: Type.Literal(true) }) },
  },
};
