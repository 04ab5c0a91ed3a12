import { type Brand, Refusal } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Entities, EntityEdit } from "../../../audience/entities.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorOf, ownConnectorId } from "../../auth/caller.js";
import type { ObjectHandler } from "../../object-handler.js";
import { freeObject } from "../../reference/named-schema.js";
import { describePage, limitsOf } from "../pagination.js";
import { readWhere } from "../read-where.js";

const text = (maxLength: number) => Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]));

const OWN_VALUES = {
  name: text(1_000),
  description: text(20_000),
  picture: text(2_000),
  type: text(200),
  url: text(2_000),
  tags: Type.Optional(Type.Union([Type.Array(Type.String({ maxLength: 200 }), { maxItems: 200 }), Type.Null()])),
  extra: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown(), { description: "Data of your own." }), Type.Null()]),
  ),
};

const EntityBody = Type.Object(
  {
    uid: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: "Your own id for the entity; default: its url." }),
    ),
    ...OWN_VALUES,
  },
  { additionalProperties: false },
);
const EditBody = Type.Object(OWN_VALUES, { additionalProperties: false });
const OptionalText = Type.Union([Type.String(), Type.Null()]);
const EntityAnswer = Type.Object(
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

export interface EntityRoutesOptions {
  entities: Entities;
  brand: Brand;
}

/** Routes for creating and listing entities. */
export function entityRoutes(app: App, { entities, brand }: EntityRoutesOptions): void {
  app.post(
    "/:id/entities",
    {
      config: { access: "connector" },
      schema: {
        tags: ["entities"],
        summary: "Create an entity that belongs to a connector or to the organization",
        params: Type.Object({
          id: Type.String({ description: "`app` or the id of a connector; `org` or the id of the organization." }),
        }),
        body: EntityBody,
        response: { 201: EntityAnswer },
      },
    },
    async ({ caller, params, body }, reply) => {
      reply.status(201);
      return entities.create(caller.organization.id, ownerId(params.id, caller), defined(body));
    },
  );

  app.get(
    "/entities",
    {
      config: { access: "connector" },
      schema: {
        tags: ["entities"],
        summary: "The entities that the caller may see",
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
        response: { 200: Type.Array(EntityAnswer) },
      },
    },
    async (request, reply) => {
      const { caller, query, url } = request;
      const where = readWhere(url);
      const found = await entities.list(caller.organization.id, ownConnectorId(caller), where, limitsOf(query));
      describePage(request, reply, brand, query, found.total);
      return found.entities;
    },
  );
}

/** Entities under `/:id`. */
export function entityObjects(entities: Entities): ObjectHandler {
  return {
    read: (id, caller) => entities.find(caller.organization.id, ownConnectorId(caller), id),
    update: (id, body, caller) => entities.update(caller.organization.id, ownConnectorId(caller), id, readEdit(body)),
    remove: (id, caller) => entities.remove(caller.organization.id, ownConnectorId(caller), id),
  };
}

/** The id of the connector that an entity is to belong to, or empty for the organization. */
function ownerId(given: string, caller: Caller): string {
  if (given === "org" || given === caller.organization.id) return "";
  return given === "app" ? connectorOf(caller).id : given;
}

/** What is wrong with a field that an edit cannot have. */
function unexpected(field: string): string {
  return Object.hasOwn(EntityAnswer.properties, field) ? "cannot be changed" : "is not known here";
}

function readEdit(body: unknown): EntityEdit {
  if (Value.Check(EditBody, body)) return defined(body);
  const details = Value.Errors(EditBody, body)
    // The validator reports each unexpected field, and once more all of them together without their names.
    .filter(({ keyword }) => keyword !== "additionalProperties")
    .map(({ keyword, instancePath, message }) => {
      const [field = "", ...inside] = instancePath.split("/").slice(1);
      return {
        path: ["body", ...(field === "" ? [] : [field]), ...inside].join("."),
        message: keyword === "boolean" ? unexpected(field) : message,
      };
    });
  throw new Refusal("invalid_parameter", `${details[0]?.path} ${details[0]?.message}.`, { details });
}

/** The fields that have a value. */
function defined<Fields extends object>(fields: Fields) {
  // The filter removes nothing but undefined values, which TypeScript cannot see.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
