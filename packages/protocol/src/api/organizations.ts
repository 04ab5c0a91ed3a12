import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { Time } from "./values.js";

export const Organization = Type.Object(
  {
    id: Type.String(),
    namespace: Type.String(),
    name: Type.String(),
    url: Type.String({ description: "The address at which clients reach it." }),
    enabled: Type.Boolean({ description: "While it is disabled, every call for it is answered with 402." }),
    join_by_hints: Type.Boolean({
      description:
        "Whether an email that a visitor types into a form, or an id in a link, identifies the visitor. Everybody can send these, so a stranger can add unproved values and events to the profile of somebody else.",
    }),
    status: Type.Optional(
      Type.Literal("deleting", { description: "The organization is deleted. Its data is being removed." }),
    ),
    created_at: Time,
  },
  { component: "Organization", description: "An organization: the owner of data." },
);
export type Organization = Static<typeof Organization>;

export const OrganizationChange = Type.Object(
  {
    name: Type.Optional(Type.String()),
    enabled: Type.Optional(
      Type.Boolean({ description: "While it is false, every call for the organization is answered with 402." }),
    ),
    join_by_hints: Type.Optional(Type.Boolean({ description: "Owners may change it too." })),
  },
  { component: "OrganizationChange", description: "Of an organization. The operator alone, unless a field says more." },
);

export const ORGANIZATIONS_API = {
  "GET /api/v1/organizations": {
    querystring: Type.Object({
      ...PageQuery.properties,
      deleting: Type.Optional(
        Type.Boolean({ description: "List those that were deleted and whose data is still being removed." }),
      ),
    }),
    response: { 200: Type.Array(Organization) },
  },
  "POST /api/v1/organizations": {
    body: Type.Object({
      namespace: Type.String({ description: "Lower-case letters, digits and hyphens; part of its host name." }),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    }),
    response: { 201: Organization },
  },
};
