import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { anyObjectAs, freeObject, mapOf, nullable } from "./schema.js";
import { AttributeValue } from "./values.js";

const text = (maxLength: number) => Type.Optional(nullable(Type.String({ maxLength })));

const OWN_VALUES = {
  name: text(1_000),
  description: text(20_000),
  picture: text(2_000),
  type: text(200),
  url: text(2_000),
  tags: Type.Optional(nullable(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 200 }))),
  extra: Type.Optional(nullable(anyObjectAs(mapOf(AttributeValue, "Data of your own.")))),
};

export const NewEntity = Type.Object(
  {
    uid: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: "Your own id for the entity; default: its url." }),
    ),
    ...OWN_VALUES,
  },
  { additionalProperties: false },
);
export type NewEntity = Static<typeof NewEntity>;

export const EntityChange = Type.Object(OWN_VALUES, {
  additionalProperties: false,
  component: "EntityChange",
  description: "Of an entity: null removes a value.",
});
export type EntityChange = Static<typeof EntityChange>;

const OptionalText = nullable(Type.String());

export const Entity = Type.Object(
  {
    id: Type.String(),
    uid: Type.String({ description: "Your own id for the entity." }),
    name: OptionalText,
    description: OptionalText,
    picture: OptionalText,
    type: Type.String(),
    url: OptionalText,
    tags: Type.Array(Type.String()),
    extra: freeObject("Data of your own."),
    meta_tags: freeObject("What the page at `url` says about itself."),
    app_id: Type.Optional(Type.String({ description: "The connector it belongs to; missing: the organization." })),
    created_at: Type.String(),
    updated_at: Type.String(),
    stats: Type.Object({
      actions: Type.Record(Type.String(), Type.Integer(), { description: "Events with the entity, by name." }),
      likes: Type.Integer(),
    }),
  },
  { additionalProperties: true, component: "Entity", description: "A thing that users act on." },
);
export type Entity = Static<typeof Entity>;

export const ENTITIES_API = {
  "POST /api/v1/{id}/entities": {
    params: Type.Object({
      id: Type.String({ description: "`app` or the id of a connector; `org` or the id of the organization." }),
    }),
    body: NewEntity,
    response: { 201: Entity },
  },
  "GET /api/v1/entities": {
    querystring: Type.Object(
      {
        ...PageQuery.properties,
        where: Type.Optional(
          Type.String({
            description: "A filter by fields and values, with `$or` and `$and`, as JSON or in bracket notation.",
          }),
        ),
      },
      { additionalProperties: true },
    ),
    response: { 200: Type.Array(Entity) },
  },
};
