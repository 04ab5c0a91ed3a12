import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Views } from "../../../audience/views.js";
import type { App } from "../../app-type.js";
import { anyRecordAs } from "../../reference/named-schema.js";
import { notFound } from "../not-found.js";
import { describePage, limitsOf } from "../pagination.js";

const Target = Type.Enum(["user", "account"]);

const VIEW = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  target: Target,
  predicate: anyRecordAs("Predicate", { description: "The filter; empty for no filter." }),
  search: Type.String({ maxLength: 400, description: "The words in the search box." }),
  columns: Type.Array(
    Type.Object({
      key: Type.String({ minLength: 1, maxLength: 300, description: "The name of a field of the report." }),
      width: Type.Optional(Type.Integer({ minimum: 20, maximum: 4_000, description: "In pixels." })),
    }),
    { maxItems: 200, description: "The shown fields in their order; empty for the usual ones." },
  ),
  sort: anyRecordAs("Sort", { description: "A field with `asc` or `desc`; empty for the usual order." }),
};

const ViewAnswer = Type.Object(
  { id: Type.Integer(), ...VIEW, created_at: Type.String(), updated_at: Type.String() },
  { component: "View", description: "A saved view of the list of users or accounts." },
);

const Id = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "The number of the view." }),
});

export interface ViewRoutesOptions {
  views: Views;
  brand: Brand;
}

/** Saved views of the lists of users and accounts. */
export function viewRoutes(app: App, { views, brand }: ViewRoutesOptions): void {
  app.get(
    "/views",
    {
      config: { access: "connector" },
      schema: {
        tags: ["views"],
        summary: "Saved views of the lists of users and accounts",
        querystring: Type.Object({
          ...PageQuery.properties,
          target: Type.Optional(Type.Enum(["user", "account"], { description: "Only views of this list." })),
        }),
        response: { 200: Type.Array(ViewAnswer) },
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const { total, views: found } = await views.list(caller.organization.id, query.target, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return found;
    },
  );

  app.post(
    "/views",
    {
      config: { access: "connector" },
      schema: {
        tags: ["views"],
        summary: "Save a view",
        body: Type.Object({
          name: VIEW.name,
          target: VIEW.target,
          predicate: Type.Optional(VIEW.predicate),
          search: Type.Optional(VIEW.search),
          columns: Type.Optional(VIEW.columns),
          sort: Type.Optional(VIEW.sort),
        }),
        response: { 201: ViewAnswer },
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(201);
      return views.create(caller.organization.id, { predicate: {}, search: "", columns: [], sort: {}, ...body });
    },
  );

  app.put(
    "/views/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["views"],
        summary: "Change a view; what is left out stays as it is",
        params: Id,
        body: Type.Partial(Type.Object(VIEW)),
        response: { 200: ViewAnswer },
      },
    },
    async ({ caller, params, body }) => {
      const view = await views.update(caller.organization.id, params.id, body);
      if (!view) throw notFound("view", String(params.id));
      return view;
    },
  );

  app.delete(
    "/views/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["views"],
        summary: "Remove a view",
        params: Id,
        response: { 200: Type.Object({ id: Type.Integer(), deleted: Type.Literal(true) }) },
      },
    },
    async ({ caller, params }) => {
      if (!(await views.remove(caller.organization.id, params.id))) throw notFound("view", String(params.id));
      return { id: params.id, deleted: true as const };
    },
  );
}
