import { INSIGHTS_API } from "@muster/protocol/api/insights";
import { insightCsv } from "../../../audience/insights/insight-csv.js";
import type { InsightUsers } from "../../../audience/insights/insight-users.js";
import type { Insights } from "../../../audience/insights/insights.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { nameOf } from "../../auth/caller.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";

export interface InsightRoutesOptions {
  insights: Insights;
  insightUsers: InsightUsers;
  noteIncomplete: NoteIncomplete;
}

/** Routes for figures over events: trends, funnels and retention. */
export function insightRoutes(app: App, { insights, insightUsers, noteIncomplete }: InsightRoutesOptions): void {
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

  app.post(
    "/insights/users",
    {
      config: reading,
      preHandler: noteIncomplete,
      schema: {
        tags: ["insights"],
        summary: "Who is behind a number",
        description: `The users of one bar, step or cohort, by the definition of the number, in the order of their ids. Without \`at\`, a trend has the users of the whole time. ${INCOMPLETE}`,
        ...INSIGHTS_API["POST /api/v1/insights/users"],
      },
    },
    ({ caller, body }, reply) => insightUsers.list(caller.organization.id, body, { signal: abortOnDisconnect(reply) }),
  );

  app.post(
    "/insights/segment",
    {
      config: { access: "connector" },
      schema: {
        tags: ["insights"],
        summary: "Make a segment of those behind a number",
        description:
          "Such as those who dropped out after a step of a funnel. The segment names the users who are behind the number now, 10,000 at most. It does not change by itself.",
        ...INSIGHTS_API["POST /api/v1/insights/segment"],
      },
    },
    async ({ caller, body }, reply) => {
      const segment = await insightUsers.makeSegment(caller.organization.id, body, {
        who: nameOf(caller),
        signal: abortOnDisconnect(reply),
      });
      reply.status(201);
      return segment;
    },
  );

  app.post(
    "/insights/csv",
    {
      config: reading,
      preHandler: noteIncomplete,
      schema: {
        tags: ["insights"],
        summary: "The numbers of an insight as CSV",
        description: `A line for each point of a trend, each step of a funnel, or each cohort of a retention. ${INCOMPLETE}`,
        ...INSIGHTS_API["POST /api/v1/insights/csv"],
      },
    },
    async ({ caller, body }, reply) => {
      const text = await insightCsv(insights, caller.organization.id, body, { signal: abortOnDisconnect(reply) });
      return reply.type("text/csv; charset=utf-8").send(text);
    },
  );
}
