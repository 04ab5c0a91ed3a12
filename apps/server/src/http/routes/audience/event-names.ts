import type { Brand } from "@muster/protocol";
import { EVENTS_API } from "@muster/protocol/api/events";
import type { EventNames } from "../../../audience/events/event-names.js";
import type { TrackingPlan } from "../../../audience/events/tracking-plan.js";
import { changedFields } from "../../../domain/members/changed-fields.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import { describePage, limitsOf } from "../pagination.js";

export interface EventNameRoutesOptions {
  eventNames: EventNames;
  trackingPlan: TrackingPlan;
  brand: Brand;
  noteIncomplete: NoteIncomplete;
}

/** Routes for the names of events: how often each is recorded, with which properties, and what is planned for it. */
export function eventNameRoutes(app: App, options: EventNameRoutesOptions): void {
  const { eventNames, trackingPlan, brand, noteIncomplete } = options;

  app.get(
    "/events/names",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "The names of events, with how often they were recorded lately",
        description: INCOMPLETE,
        ...EVENTS_API["GET /api/v1/events/names"],
      },
    },
    async (request, reply) => {
      await noteIncomplete(request, reply);
      const { caller, query } = request;
      const { total, names } = await eventNames.list(caller.organization.id, {
        ...limitsOf(query),
        order: query.order,
        withHidden: query.hidden,
        ...(query.text === undefined ? {} : { text: query.text }),
      });
      describePage(request, reply, brand, query, total);
      return names;
    },
  );

  app.get(
    "/events/plan",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "What is planned for a name of events, and what did not follow it",
        ...EVENTS_API["GET /api/v1/events/plan"],
      },
    },
    ({ caller, query }) => trackingPlan.read(caller.organization.id, query.event),
  );

  app.put(
    "/events/plan",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "Describe a name of events, and say which properties its events have",
        description:
          "What is left out stays as it is. Events that do not follow the plan are stored and counted, or, with `refuse`, refused.",
        ...EVENTS_API["PUT /api/v1/events/plan"],
      },
    },
    async (request) => {
      const { caller, body } = request;
      const before = await trackingPlan.read(caller.organization.id, body.event);
      const after = await trackingPlan.put(caller.organization.id, body);
      const { problems: _before, updated_at: _was, ...planned } = before;
      const { problems: _after, updated_at: _is, ...plan } = after;
      request.audited = { label: body.event.slice(0, 200), ...changedFields(planned, plan) };
      return after;
    },
  );

  app.get(
    "/events/properties",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "The properties of the latest 1,000 events with a name",
        ...EVENTS_API["GET /api/v1/events/properties"],
      },
    },
    ({ caller, query }) => eventNames.properties(caller.organization.id, query.event),
  );
}
