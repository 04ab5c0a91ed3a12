import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { anyValueAs, nullable } from "./schema.js";
import { AttributeValue, Time } from "./values.js";

/** From the fewest rights to the most: each role may do what the ones before it may. */
export const ROLES = ["viewer", "editor", "owner"] as const;

/** What a member may do in an organization: look, change data, or manage everything. */
export type Role = (typeof ROLES)[number];

const RoleName = Type.Enum([...ROLES], {
  description: "`viewer` looks, `editor` changes data, `owner` manages connectors, platforms and members too.",
});

const Email = Type.String({ minLength: 3, maxLength: 254 });
const Password = Type.String({ minLength: 1, maxLength: 1_000 });
const Name = Type.String({ minLength: 1, maxLength: 200 });
const Token = Type.String({ minLength: 1, maxLength: 200, description: "The last part of the link." });
const Deleted = Type.Object({ id: Type.String(), deleted: Type.Literal(true) });

export const Session = Type.Object(
  {
    is_operator: Type.Boolean({
      description: "Whether the caller runs the server, as owner of every organization.",
    }),
    member: nullable(
      Type.Object({ id: Type.String(), email: Type.String(), name: Type.String(), has_password: Type.Boolean() }),
      { description: "Null when the caller has the admin token." },
    ),
    session_id: nullable(Type.String()),
    csrf_token: nullable(Type.String(), {
      description: "To be sent as `X-CSRF-Token` with every request that is not GET.",
    }),
    organizations: Type.Array(
      Type.Object({
        id: Type.String(),
        namespace: Type.String(),
        name: Type.String(),
        enabled: Type.Boolean(),
        role: RoleName,
      }),
      { description: "Those that the caller may see, with the role in each." },
    ),
  },
  { component: "Session", description: "Who is signed in." },
);
export type Session = Static<typeof Session>;

export const BrowserSession = Type.Object({
  id: Type.String(),
  user_agent: Type.String(),
  address: Type.String(),
  created_at: Time,
  last_seen_at: Time,
  expires_at: Time,
  current: Type.Boolean({ description: "Whether it is the session of this request." }),
});
export type BrowserSession = Static<typeof BrowserSession>;

const OwnChanges = Type.Object({
  name: Type.Optional(Name),
  email: Type.Optional(Email),
  password: Type.Optional(Password),
  current_password: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: "Needed for a new password or address, when you have a password.",
    }),
  ),
});
export type OwnChanges = Static<typeof OwnChanges>;

export const Member = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: RoleName,
    is_operator: Type.Boolean({ description: "Whether the member runs the server." }),
    created_at: Time,
    last_signed_in_at: nullable(Time),
  },
  { component: "Member", description: "A person with a role in the organization." },
);
export type Member = Static<typeof Member>;

export const Invitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: RoleName,
    invited_by: Type.String(),
    created_at: Time,
    expires_at: Time,
  },
  { component: "Invitation", description: "An offer of a role to the holder of an e-mail address." },
);
export type Invitation = Static<typeof Invitation>;

export const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    happened_at: Time,
    member_id: nullable(Type.String(), { description: "Null when it was the operator with the admin token." }),
    who: Type.String({ description: "The name and address of the member at that time, or `operator`." }),
    action: Type.String({ description: "The method and the path of the route." }),
    object_type: nullable(Type.String()),
    object_id: nullable(Type.String()),
    label: nullable(Type.String(), { description: "The name of the object at that time." }),
    before: anyValueAs(AttributeValue, { description: "The fields that have changed, as they were." }),
    after: anyValueAs(AttributeValue, {
      description: "The fields that have changed, as they became, or what was asked for. Secrets are masked.",
    }),
    address: Type.String({ description: "The address that the request came from." }),
  },
  { component: "AuditEntry", description: "A change that a person has made." },
);
export type AuditEntry = Static<typeof AuditEntry>;

const member = Type.Object({ id: Type.String({ description: "The id of a member." }) });
const signedIn = { 200: Session };

export const MEMBERS_API = {
  "GET /api/v1/session": { response: signedIn },
  "GET /api/v1/session/options": {
    response: { 200: Type.Object({ mail: Type.Boolean({ description: "Whether links can be mailed." }) }) },
  },
  "POST /api/v1/session": { body: Type.Object({ email: Email, password: Password }), response: signedIn },
  "POST /api/v1/session/link/preview": {
    body: Type.Object({ token: Token }),
    response: { 200: Type.Object({ email: Type.String(), name: Type.String() }) },
  },
  "POST /api/v1/session/link": { body: Type.Object({ token: Token }), response: signedIn },
  "POST /api/v1/session/mail": {
    body: Type.Object({ email: Email }),
    response: { 202: Type.Object({ message: Type.String() }) },
  },
  "DELETE /api/v1/session": { response: { 200: Type.Object({ ended: Type.Integer() }) } },
  "PUT /api/v1/session/me": { body: OwnChanges, response: signedIn },
  "GET /api/v1/sessions": { querystring: PageQuery, response: { 200: Type.Array(BrowserSession) } },
  "DELETE /api/v1/sessions/{id}": {
    params: Type.Object({ id: Type.String({ description: "The id of a session." }) }),
    response: { 200: Type.Object({ ended: Type.Integer() }) },
  },
  "DELETE /api/v1/sessions": {
    response: { 200: Type.Object({ ended: Type.Integer({ description: "How many sessions were ended." }) }) },
  },
  "POST /api/v1/sign_in_links": {
    body: Type.Object({
      email: Type.Optional(
        Type.String({
          minLength: 3,
          maxLength: 254,
          description: "Whom the link signs in. Default: the member who was the first to run the server.",
        }),
      ),
      as_owner: Type.Optional(
        Type.Boolean({
          description:
            "The member becomes an owner of the organization of the request. Without it a new member runs the server.",
        }),
      ),
    }),
    response: { 201: Type.Object({ url: Type.String({ description: "It works for 15 minutes." }) }) },
  },
  "GET /api/v1/members": { querystring: PageQuery, response: { 200: Type.Array(Member) } },
  "PUT /api/v1/members/{id}": {
    params: member,
    body: Type.Object({ role: RoleName }),
    response: { 200: Member },
  },
  "DELETE /api/v1/members/{id}": { params: member, response: { 200: Deleted } },
  "GET /api/v1/invitations": { querystring: PageQuery, response: { 200: Type.Array(Invitation) } },
  "POST /api/v1/invitations": {
    body: Type.Object({ email: Email, role: RoleName }),
    response: {
      201: Type.Object({
        ...Invitation.properties,
        url: Type.String({ description: "The link, which is shown only here. It works for seven days." }),
        mailed: Type.Boolean({ description: "Whether the link is mailed too." }),
      }),
    },
  },
  "DELETE /api/v1/invitations/{id}": {
    params: Type.Object({ id: Type.String({ description: "The id of an invitation." }) }),
    response: { 200: Deleted },
  },
  "POST /api/v1/invitations/preview": {
    body: Type.Object({ token: Token }),
    response: {
      200: Type.Object({
        email: Type.String(),
        role: RoleName,
        organization: Type.String({ description: "The name of the organization." }),
        invited_by: Type.String(),
        is_member: Type.Boolean({
          description: "Whether the address was proved by a member, who then accepts with the own password.",
        }),
      }),
    },
  },
  "POST /api/v1/invitations/accept": {
    body: Type.Object({ token: Token, name: Type.Optional(Name), password: Type.Optional(Password) }),
    response: signedIn,
  },
  "GET /api/v1/audit": {
    querystring: Type.Object({
      ...PageQuery.properties,
      member_id: Type.Optional(Type.String({ description: "Only changes of this member." })),
      object_id: Type.Optional(Type.String({ description: "Only changes of this object." })),
      from: Type.Optional(Type.String({ format: "date-time", description: "Not before this time." })),
      to: Type.Optional(Type.String({ format: "date-time", description: "Before this time." })),
    }),
    response: { 200: Type.Array(AuditEntry) },
  },
};
