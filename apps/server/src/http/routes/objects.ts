import { type Brand, isId, Refusal, typeOfId } from "@muster/protocol";
import { OBJECTS_API, type RemovedObject } from "@muster/protocol/api/objects";
import type { App } from "../app-type.js";
import { requireEnabled } from "../auth/authenticate.js";
import { type Caller, isEndUser, platformIdOf } from "../auth/caller.js";
import type { NoteIncomplete } from "../hooks/incomplete-answers.js";
import type { FindMe, ObjectHandler, ObjectHandlers } from "../object-handler.js";
import { notFound } from "./not-found.js";
import { resolveAlias } from "./resolve-alias.js";

export interface ObjectRoutesOptions {
  brand: Brand;
  handlers: ObjectHandlers;
  findMe: FindMe;
  noteIncomplete: NoteIncomplete;
}

/** Routes for any object by its id. The id contains the type of the object. */
export function objectRoutes(app: App, { brand, handlers, findMe, noteIncomplete }: ObjectRoutesOptions): void {
  const resolve = async (given: string, caller: Caller): Promise<{ id: string; handler: ObjectHandler }> => {
    const ownPlatform = given === "app" ? platformIdOf(caller) : undefined;
    const id = ownPlatform ?? (await resolveAlias(given, caller, findMe));
    const type = id === undefined ? undefined : typeOfId(id);
    const handler = type && handlers[type];
    if (type !== "organization") requireEnabled(caller.organization);
    if (id !== undefined && !isId(id)) throw noRoute(app, given);
    if (id === undefined || !handler) throw notFound("object", given);
    // The record of a platform is public.
    if (ownPlatform !== undefined) return { id, handler };
    if (isEndUser(caller) && (type !== "user" || id !== (await findMe(caller)))) {
      throw new Refusal("forbidden", "A token may read only the profile of its own user.");
    }
    return { id, handler };
  };

  app.get(
    "/:id",
    {
      config: { access: "subject", servesDisabled: true },
      schema: { tags: ["objects"], summary: "Read an object", ...OBJECTS_API["GET /api/v1/{id}"] },
    },
    async (request, reply) => {
      const { params, caller } = request;
      const { id, handler } = await resolve(params.id, caller);
      if (!handler.read) return notAllowed("GET", handler, reply);
      if (handler.asksQuestions) await noteIncomplete(request, reply);
      const found = await handler.read(id, caller);
      if (!found) throw notFound("object", params.id);
      return found;
    },
  );

  app.route({
    method: ["PUT", "POST"],
    url: "/:id",
    config: { access: "connector", servesDisabled: true },
    schema: {
      tags: ["objects"],
      summary: "Change an object",
      ...OBJECTS_API["PUT /api/v1/{id}"],
    },
    handler: async ({ params, body, caller, method }, reply) => {
      const { id, handler } = await resolve(params.id, caller);
      if (!handler.update || handler.takesUpdate?.(body) === false) {
        const { update: _update, ...others } = handler;
        return notAllowed(method, others, reply);
      }
      const updated = await handler.update(id, body ?? {}, caller);
      if (!updated) throw notFound("object", params.id);
      return updated;
    },
  });

  app.delete(
    "/:id",
    {
      config: { access: "connector", servesDisabled: true },
      schema: {
        tags: ["objects"],
        summary: "Remove an object",
        ...OBJECTS_API["DELETE /api/v1/{id}"],
      },
    },
    async ({ params, query, caller }, reply) => {
      const { id, handler } = await resolve(params.id, caller);
      if (!handler.remove) return notAllowed("DELETE", handler, reply);
      const removed = await handler.remove(id, caller, query);
      if (removed === false) throw notFound("object", params.id);
      if (isPositioned(removed)) reply.header(brand.headers.position, removed.position);
      return removed === true ? { id, deleted: true as const } : removed;
    },
  );
}

/** A word in the place of an id, such as `users`: somebody has guessed a path. */
function noRoute({ nearbyRoutes }: App, given: string): Refusal {
  const { message } = notFound("object", given);
  return new Refusal("not_found", message + nearbyRoutes.of(`/api/v1/${given}`));
}

/** Whether the removal goes through the pipeline: it then has a position in the ingestion log. */
function isPositioned(removed: RemovedObject | true): removed is RemovedObject & { position: string } {
  return typeof removed === "object" && "position" in removed && typeof removed.position === "string";
}

function notAllowed(
  method: string,
  handler: ObjectHandler,
  reply: { header(name: string, value: string): unknown },
): never {
  const allow = [
    handler.read ? ["GET"] : [],
    handler.update ? ["POST", "PUT"] : [],
    handler.remove ? ["DELETE"] : [],
  ].flat();
  reply.header("allow", allow.join(", "));
  throw new Refusal("method_not_allowed", `${method} is not possible on this object; use ${allow.join(", ")}.`);
}
