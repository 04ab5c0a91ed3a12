import { INSIGHTS_API } from "@muster/protocol/api/insights";
import type { Insights } from "../../../audience/insights/insights.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";

export interface InsightRoutesOptions {
  insights: Insights;
  noteIncomplete: NoteIncomplete;
}

/** Routes for figures over events: trends, funnels and retention. */
export function insightRoutes(app: App, { insights, noteIncomplete }: InsightRoutesOptions): void {
  const reading = { access: "connector", reads: true } as const;

  app.post(
    "/insights/trend",
    {
      config: reading,
      preHandler: noteIncomplete,
      schema: {
        tags: ["insights"],
        summary: "How events move over time",
        description: `How many there are, how many users they have, or a figure of a property. ${INCOMPLETE}`,
        ...INSIGHTS_API["POST /api/v1/insights/trend"],
      },
    },
    ({ caller, body }, reply) => insights.trend(caller.organization.id, body, { signal: abortOnDisconnect(reply) }),
  );

  app.post(
    "/insights/funnel",
    {
      config: reading,
      preHandler: noteIncomplete,
      schema: {
        tags: ["insights"],
        summary: "How many users come how far",
        description: `A user has reached a step when the user has an event for each step up to it, in this order: the first within the time, the last at most \`within\` later. ${INCOMPLETE}`,
        ...INSIGHTS_API["POST /api/v1/insights/funnel"],
      },
    },
    ({ caller, body }, reply) => insights.funnel(caller.organization.id, body, { signal: abortOnDisconnect(reply) }),
  );

  app.post(
    "/insights/retention",
    {
      config: reading,
      preHandler: noteIncomplete,
      schema: {
        tags: ["insights"],
        summary: "How many users come back",
        description: `Users belong to the interval of their first event of \`start\` in the time. They come back with an event of \`return\` after it. ${INCOMPLETE}`,
        ...INSIGHTS_API["POST /api/v1/insights/retention"],
      },
    },
    ({ caller, body }, reply) => insights.retention(caller.organization.id, body, { signal: abortOnDisconnect(reply) }),
  );
}
