import { type Brand, Refusal } from "@muster/protocol";
import { ENTITIES_API, Entity, EntityChange } from "@muster/protocol/api/entities";
import { Value } from "typebox/value";
import type { Entities, EntityEdit } from "../../../audience/entities/entities.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorOf, ownConnectorId } from "../../auth/caller.js";
import type { ObjectHandler } from "../../object-handler.js";
import { describePage, limitsOf } from "../pagination.js";
import { readWhere } from "../read-where.js";

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
        ...ENTITIES_API["POST /api/v1/{id}/entities"],
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
        ...ENTITIES_API["GET /api/v1/entities"],
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
  return Object.hasOwn(Entity.properties, field) ? "cannot be changed" : "is not known here";
}

function readEdit(body: unknown): EntityEdit {
  if (Value.Check(EntityChange, body)) return defined(body);
  const details = Value.Errors(EntityChange, body)
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
