import { type Brand, Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { Attributes } from "../../../audience/attributes.js";
import type { App } from "../../app-type.js";
import { OptionalPageQuery, pageOfAll } from "../pagination.js";

const AttributeAnswer = Type.Object(
  {
    name: Type.String(),
    key: Type.String(),
    type: Type.String(),
    visible: Type.Boolean(),
    track_changes: Type.Boolean(),
  },
  { additionalProperties: true },
);
const SchemaAnswer = Type.Object({ key: Type.String(), type: Type.String() }, { additionalProperties: true });

const Change = Type.Object({
  type: Type.Optional(Type.Enum(["boolean", "date", "numeric", "string", "array", "json"])),
  visible: Type.Optional(Type.Boolean()),
  track_changes: Type.Optional(Type.Boolean()),
});

export interface AttributeRoutesOptions {
  attributes: Attributes;
  brand: Brand;
}

/** The attribute schema: definitions by name, and the whole of a report's keys. */
export function attributeRoutes(app: App, { attributes, brand }: AttributeRoutesOptions): void {
  for (const entity of ["user", "account"] as const) {
    app.get(
      `/settings/${entity}_traits`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `All ${entity} attributes`,
          querystring: OptionalPageQuery,
          response: { 200: Type.Array(AttributeAnswer) },
        },
      },
      async (request, reply) => {
        const all = await attributes.list(request.caller.organization.id, entity);
        return pageOfAll(request, reply, brand, request.query, all);
      },
    );

    // A wildcard, because the groups of a name are set apart with slashes, plain or encoded.
    const params = Type.Object({ "*": Type.String({ minLength: 1, maxLength: 300, description: "Attribute name." }) });

    app.get(
      `/settings/${entity}_traits/*`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `The definition of one ${entity} attribute`,
          params,
          response: { 200: AttributeAnswer },
        },
      },
      async ({ caller, params }) => {
        const found = await attributes.find(caller.organization.id, entity, params["*"]);
        if (!found) throw new Refusal("not_found", `There is no ${entity} attribute "${params["*"]}".`);
        return found;
      },
    );

    app.put(
      `/settings/${entity}_traits/*`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `Create a ${entity} attribute, or change its flags`,
          params,
          querystring: Change,
          body: Type.Optional(Type.Union([Change, Type.Null()])),
          response: { 200: AttributeAnswer },
        },
      },
      async ({ caller, params, query, body }) => {
        const { type, visible, track_changes: trackChanges } = { ...query, ...body };
        return attributes.put(caller.organization.id, entity, params["*"], {
          ...(type === undefined ? {} : { type }),
          ...(visible === undefined ? {} : { visible }),
          ...(trackChanges === undefined ? {} : { trackChanges }),
        });
      },
    );

    app.get(
      `/${entity}s/schema`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `Every key of a ${entity} report`,
          querystring: OptionalPageQuery,
          response: { 200: Type.Array(SchemaAnswer) },
        },
      },
      async (request, reply) => {
        const all = await attributes.schema(request.caller.organization.id, entity);
        return pageOfAll(request, reply, brand, request.query, all);
      },
    );

    app.get(
      `/search/${entity}_reports/bootstrap`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["search"],
          summary: `The keys of a ${entity} report by group`,
          response: { 200: Type.Object({}, { additionalProperties: true }) },
        },
      },
      ({ caller }) => attributes.tree(caller.organization.id, entity),
    );
  }
}
