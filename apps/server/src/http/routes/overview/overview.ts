import { Type } from "typebox";
import { ATTENTION_KINDS } from "../../../overview/attention.js";
import type { Overview } from "../../../overview/overview.js";
import type { App } from "../../app-type.js";

const Moment = Type.String({ format: "date-time" });

const Health = Type.Object(
  {
    state: Type.Enum(["ok", "late", "broken"]),
    message: Type.String({ description: "One sentence for the whole organization." }),
    behind_ms: Type.Integer({ description: "How long the oldest record waits that is not searchable yet." }),
    waiting_records: Type.Integer({ description: "Records that are accepted and not applied, imports included." }),
  },
  { component: "Health", description: "How the organization does." },
);

const Lag = Type.Object({
  since: Type.String({ format: "date-time", description: "The percentiles are about records since then." }),
  stages: Type.Array(
    Type.Object({
      stage: Type.Enum(["apply", "search", "delivery"], {
        description:
          "`apply` is from the acceptance of a record to its application, `search` from there until it is searchable, `delivery` from the queueing of a message until the connector has it.",
      }),
      records: Type.Integer({ description: "How many records the percentiles are about." }),
      p50_ms: Type.Union([Type.Integer(), Type.Null()], { description: "Null when there were no records." }),
      p95_ms: Type.Union([Type.Integer(), Type.Null()], { description: "At most 9 % too high, never too low." }),
      behind_ms: Type.Integer({ description: "How long the oldest record waits at present." }),
    }),
  ),
  behind_ms: Type.Integer(),
  waiting_records: Type.Integer(),
});

const ConnectorState = Type.Object({
  id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  status: Type.String(),
  messages: Type.Array(Type.String()),
  receives: Type.Boolean({ description: "False for a connector without a manifest: it only sends." }),
  queued_messages: Type.Integer(),
  lag_ms: Type.Integer({ description: "The age of the oldest message in its queue." }),
  circuit: Type.Enum(["closed", "open", "half-open"]),
  last_error: Type.Union([Type.String(), Type.Null()]),
  dead_letters: Type.Integer(),
  sent_last_hour: Type.Integer({ description: "Messages that were delivered." }),
  failed_last_hour: Type.Integer({ description: "Calls that failed." }),
});

const Attention = Type.Object({
  kind: Type.Enum([...ATTENTION_KINDS]),
  severity: Type.Enum(["error", "warning"]),
  message: Type.String({ description: "What is wrong, as a sentence." }),
  count: Type.Integer(),
  ids: Type.Array(Type.String(), {
    description: "What it is about: connectors, segments or jobs by id, or a stage by name.",
  }),
});

const Days = Type.Array(
  Type.Object({
    at: Type.String({ format: "date-time", description: "The start of the day, in UTC." }),
    total: Type.Integer({ description: "How many were there at the end of the day." }),
    created: Type.Integer(),
  }),
);

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
        response: {
          200: Type.Object({
            at: Moment,
            users: Type.Integer(),
            accounts: Type.Integer(),
            intake: Type.Object({
              any: Type.Boolean({ description: "Whether a record was ever accepted." }),
              per_second: Type.Number({ description: "The average of the last ten to twenty seconds." }),
              minutes: Type.Array(Type.Object({ at: Moment, count: Type.Integer() }), {
                description: "Accepted records in each of the last sixty minutes. The last minute is under way.",
              }),
            }),
            lag: Lag,
            connectors: Type.Array(ConnectorState, { description: "Those with trouble come first." }),
            attention: Type.Array(Attention, { description: "What needs somebody, the worst first." }),
            health: Health,
          }),
        },
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
        response: { 200: Health },
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
        response: { 200: Type.Object({ users: Days, accounts: Days }) },
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
        response: {
          200: Type.Object({
            segments: Type.Array(
              Type.Object({
                id: Type.String(),
                name: Type.String(),
                subject_type: Type.Enum(["user", "account"]),
                size: Type.Integer(),
                entered: Type.Integer(),
                left: Type.Integer(),
                sizes: Type.Array(Type.Integer(), {
                  description:
                    "The size at the end of each of the last 30 days, in UTC. The last one is the present size.",
                }),
              }),
              { description: "At most eight, the most moved first." },
            ),
          }),
        },
      },
    },
    async ({ caller }) => ({ segments: await overview.movingSegments(caller.organization.id) }),
  );
}
