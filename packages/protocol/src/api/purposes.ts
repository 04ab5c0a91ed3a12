import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { Time } from "./values.js";

/** Most purposes of an organization. */
export const MAX_PURPOSES = 20;

export const PurposeName = Type.String({
  pattern: "^[a-z0-9][a-z0-9_-]{0,49}$",
  description: "Lower-case letters, digits, `_` and `-`, 50 characters at most.",
});

const description = Type.String({ maxLength: 1_000, description: "What people are asked to agree to." });

export const Purpose = Type.Object(
  {
    name: Type.String(),
    description,
    attribute: Type.String({ description: "The attribute of users that says whether they have agreed." }),
    connector_ids: Type.Array(Type.String(), { description: "The connectors that serve it." }),
    created_at: Time,
    updated_at: Time,
  },
  {
    component: "Purpose",
    description:
      "A purpose that people agree to. Connectors that serve it are told nothing about users who have not agreed.",
  },
);
export type Purpose = Static<typeof Purpose>;

/** The purposes that a connector serves, or that an extract is for. */
export const PurposeNames = Type.Array(PurposeName, { maxItems: MAX_PURPOSES, uniqueItems: true });

const params = Type.Object({ name: PurposeName });

export const PURPOSES_API = {
  "GET /api/v1/purposes": { querystring: PageQuery, response: { 200: Type.Array(Purpose) } },
  "PUT /api/v1/purposes/{name}": {
    params,
    body: Type.Object({ description: Type.Optional(description) }),
    response: { 200: Purpose },
  },
  "DELETE /api/v1/purposes/{name}": {
    params,
    response: { 200: Type.Object({ name: Type.String(), deleted: Type.Literal(true) }) },
  },
};
