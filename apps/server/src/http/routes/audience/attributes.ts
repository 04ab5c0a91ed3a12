import type { Brand } from "@muster/protocol";
import { OptionalPageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Attributes } from "../../../audience/attributes.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { pageOfAll } from "../pagination.js";

const TYPES = ["boolean", "date", "numeric", "string", "array", "json"] as const;
const OptionalText = Type.Union([Type.String(), Type.Null()]);

const AttributeAnswer = Type.Object(
  {
    name: Type.String({ description: "Without the prefix of reports." }),
    key: Type.String({ description: "As in reports." }),
    type: Type.Enum([...TYPES]),
    visible: Type.Boolean(),
    track_changes: Type.Boolean(),
    group: Type.Union([Type.String(), Type.Null()], { description: "What is before the `/` of the name." }),
    source: OptionalText,
    first_seen_at: OptionalText,
    last_seen_at: OptionalText,
    count: Type.Integer({ description: "How many users or accounts have a value." }),
  },
  { additionalProperties: true, component: "Attribute", description: "The definition of an attribute." },
);
const SchemaAnswer = Type.Object(
  {
    key: Type.String(),
    type: Type.Enum(["string", "number", "date", "boolean", "array", "json"]),
    visible: Type.Boolean(),
    track_changes: Type.Boolean(),
    configurable: Type.Boolean({ description: "Whether it is a custom attribute, not a standard field." }),
    created_at: OptionalText,
    updated_at: OptionalText,
  },
  { additionalProperties: true, component: "ReportKey", description: "One key of reports." },
);
const TreeAnswer = Type.Object(
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

const Change = Type.Object({
  type: Type.Optional(Type.Enum([...TYPES], { description: "Only for a new attribute: a type never changes." })),
  visible: Type.Optional(Type.Boolean({ description: "False hides the attribute in reports." })),
  track_changes: Type.Optional(Type.Boolean({ description: "False stops the event `attributes_changed` for it." })),
});

export interface AttributeRoutesOptions {
  attributes: Attributes;
  brand: Brand;
}

/** Routes for the definitions of attributes, and for the keys of reports. */
export function attributeRoutes(app: App, { attributes, brand }: AttributeRoutesOptions): void {
  for (const subjectType of ["user", "account"] as const) {
    app.get(
      `/settings/${subjectType}_traits`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `All ${subjectType} attributes`,
          querystring: OptionalPageQuery,
          response: { 200: Type.Array(AttributeAnswer) },
        },
      },
      async (request, reply) => {
        const all = await attributes.list(request.caller.organization.id, subjectType);
        return pageOfAll(request, reply, brand, request.query, all);
      },
    );

    // A wildcard, because names contain slashes between their groups, which clients send plain or encoded.
    const params = Type.Object({ "*": Type.String({ minLength: 1, maxLength: 300, description: "Attribute name." }) });

    app.get(
      `/settings/${subjectType}_traits/*`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `The definition of one ${subjectType} attribute`,
          params,
          response: { 200: AttributeAnswer },
        },
      },
      async ({ caller, params }) => {
        const found = await attributes.find(caller.organization.id, subjectType, params["*"]);
        if (!found) throw notFound(`${subjectType} attribute`, params["*"]);
        return found;
      },
    );

    app.put(
      `/settings/${subjectType}_traits/*`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `Create one ${subjectType} attribute or change its flags`,
          params,
          querystring: Change,
          body: Type.Optional(Type.Union([Change, Type.Null()])),
          response: { 200: AttributeAnswer },
        },
      },
      async ({ caller, params, query, body }) => {
        const { type, visible, track_changes: trackChanges } = { ...query, ...body };
        return attributes.put(caller.organization.id, subjectType, params["*"], {
          ...(type === undefined ? {} : { type }),
          ...(visible === undefined ? {} : { visible }),
          ...(trackChanges === undefined ? {} : { trackChanges }),
        });
      },
    );

    app.get(
      `/${subjectType}s/schema`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `Every key of ${subjectType} reports`,
          querystring: OptionalPageQuery,
          response: { 200: Type.Array(SchemaAnswer) },
        },
      },
      async (request, reply) => {
        const all = await attributes.schema(request.caller.organization.id, subjectType);
        return pageOfAll(request, reply, brand, request.query, all);
      },
    );

    app.get(
      `/search/${subjectType}_reports/bootstrap`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["search"],
          summary: `The visible keys of ${subjectType} reports, by group`,
          response: { 200: TreeAnswer },
        },
      },
      ({ caller }) => attributes.tree(caller.organization.id, subjectType),
    );
  }
}
