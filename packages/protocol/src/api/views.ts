import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { Predicate } from "./predicates.js";
import { Sort } from "./queries.js";
import { anyObjectAs } from "./schema.js";

const VIEW = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  target: Type.Enum(["user", "account"]),
  predicate: anyObjectAs(Predicate, { description: "The filter; empty for no filter." }),
  search: Type.String({ maxLength: 400, description: "The words in the search box." }),
  columns: Type.Array(
    Type.Object({
      key: Type.String({ minLength: 1, maxLength: 300, description: "The name of a field of the report." }),
      width: Type.Optional(Type.Integer({ minimum: 20, maximum: 4_000, description: "In pixels." })),
    }),
    { maxItems: 200, description: "The shown fields in their order; empty for the usual ones." },
  ),
  sort: Type.Unsafe<Record<string, unknown>>(
    anyObjectAs(Sort, { description: "A field with `asc` or `desc`; empty for the usual order." }),
  ),
};

/** What a saved view shows of a list of users or accounts. */
export const ViewDefinition = Type.Object(VIEW);
export type ViewDefinition = Static<typeof ViewDefinition>;

export const View = Type.Object(
  { id: Type.Integer(), ...VIEW, created_at: Type.String(), updated_at: Type.String() },
  { component: "View", description: "A saved view of the list of users or accounts." },
);
export type View = Static<typeof View>;

const params = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "The number of the view." }),
});

export const VIEWS_API = {
  "GET /api/v1/views": {
    querystring: Type.Object({
      ...PageQuery.properties,
      target: Type.Optional(Type.Enum(["user", "account"], { description: "Only views of this list." })),
    }),
    response: { 200: Type.Array(View) },
  },
  "POST /api/v1/views": {
    body: Type.Object({
      name: VIEW.name,
      target: VIEW.target,
      predicate: Type.Optional(VIEW.predicate),
      search: Type.Optional(VIEW.search),
      columns: Type.Optional(VIEW.columns),
      sort: Type.Optional(VIEW.sort),
    }),
    response: { 201: View },
  },
  "PUT /api/v1/views/{id}": { params, body: Type.Partial(ViewDefinition), response: { 200: View } },
  "DELETE /api/v1/views/{id}": {
    params,
    response: { 200: Type.Object({ id: Type.Integer(), deleted: Type.Literal(true) }) },
  },
};
