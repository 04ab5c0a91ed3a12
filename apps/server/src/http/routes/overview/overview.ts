import { OVERVIEW_API } from "@muster/protocol/api/overview";
import type { Overview } from "../../../overview/overview.js";
import type { App } from "../../app-type.js";

/** What the first screen of the dashboard shows. The parts have routes of their own where they cost more. */
export function overviewRoutes(app: App, { overview }: { overview: Overview }): void {
  app.get(
    "/overview",
    {
      config: { access: "connector" },
      schema: {
        tags: ["overview"],
        summary: "How the organization does: audience, records, lag, connectors, and what needs attention",
        description: "Cheap enough to be asked every two seconds: the answer is computed at most once a second.",
        ...OVERVIEW_API["GET /api/v1/overview"],
      },
    },
    ({ caller }) => overview.read(caller.organization.id),
  );

  app.get(
    "/overview/health",
    {
      config: { access: "connector" },
      schema: {
        tags: ["overview"],
        summary: "How the organization does, in one sentence",
        ...OVERVIEW_API["GET /api/v1/overview/health"],
      },
    },
    ({ caller }) => overview.health(caller.organization.id),
  );

  app.get(
    "/overview/growth",
    {
      config: { access: "connector" },
      schema: {
        tags: ["overview"],
        summary: "Users and accounts by day, for 90 days",
        description:
          "The users and accounts that exist now, by the day of their `created_at`. Those that were merged or erased since are not counted on any day. The answer is computed at most once a minute.",
        ...OVERVIEW_API["GET /api/v1/overview/growth"],
      },
    },
    ({ caller }) => overview.growth(caller.organization.id),
  );

  app.get(
    "/overview/segments",
    {
      config: { access: "connector" },
      schema: {
        tags: ["overview"],
        summary: "The segments that most users or accounts entered or left in the last 24 hours",
        ...OVERVIEW_API["GET /api/v1/overview/segments"],
      },
    },
    async ({ caller }) => ({ segments: await overview.movingSegments(caller.organization.id) }),
  );
}
