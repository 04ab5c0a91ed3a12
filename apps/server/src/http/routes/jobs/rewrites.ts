import { ATTRIBUTES_API } from "@muster/protocol/api/attributes";
import { EVENTS_API } from "@muster/protocol/api/events";
import type { Rewrites } from "../../../jobs/rewrite/rewrites.js";
import type { App } from "../../app-type.js";
import { connectorIdOf, isOwner } from "../../auth/caller.js";

/** Routes that delete or convert an attribute of everybody, or merge names of events. */
export function rewriteRoutes(app: App, { rewrites }: { rewrites: Rewrites }): void {
  app.post(
    "/attributes/preview",
    {
      config: { access: "connector", reads: true },
      schema: {
        tags: ["attributes"],
        summary: "What a conversion of an attribute would do",
        description: "Reads at most 10,000 values; `checked` says how many.",
        ...ATTRIBUTES_API["POST /api/v1/attributes/preview"],
      },
    },
    ({ caller, body }) => rewrites.preview(caller.organization.id, body, body.type),
  );

  app.post(
    "/attributes/convert",
    {
      config: { access: "connector" },
      schema: {
        tags: ["attributes"],
        summary: "Give an attribute another type",
        description:
          "New values must have the new type at once. A job converts the stored ones; those that cannot be converted are unset. Connectors are not notified.",
        ...ATTRIBUTES_API["POST /api/v1/attributes/convert"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(201);
      const request = { ...body, connectorId: connectorIdOf(caller), byOwner: isOwner(caller) };
      return rewrites.convert(caller.organization.id, request, body.type);
    },
  );

  app.post(
    "/attributes/delete",
    {
      config: { access: "connector" },
      schema: {
        tags: ["attributes"],
        summary: "Delete an attribute of everybody",
        description:
          "Reports do not show it from now on, and records cannot write it until a job has deleted its values. Refused while segments ask for it. Connectors are not notified.",
        ...ATTRIBUTES_API["POST /api/v1/attributes/delete"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(201);
      const request = { ...body, connectorId: connectorIdOf(caller), byOwner: isOwner(caller) };
      return rewrites.delete(caller.organization.id, request);
    },
  );

  app.post(
    "/events/merge",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "Merge one event name into another",
        description:
          "New events with the first name get the second one, and a job renames the stored ones. Segments, insights and callers that ask for the first name find the events of both from then on. The merge can be undone.",
        ...EVENTS_API["POST /api/v1/events/merge"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(201);
      return rewrites.mergeEvents(caller.organization.id, { ...body, connectorId: connectorIdOf(caller) });
    },
  );

  app.post(
    "/events/unmerge",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "Undo the merge of an event name",
        description:
          "New events with the name keep it, and a job gives it back to the stored events that came with it, also after the merge.",
        ...EVENTS_API["POST /api/v1/events/unmerge"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(201);
      return rewrites.unmergeEvent(caller.organization.id, { ...body, connectorId: connectorIdOf(caller) });
    },
  );
}
