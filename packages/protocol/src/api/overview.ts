import { type Static, Type } from "typebox";
import { CIRCUITS } from "./deliveries.js";
import { nullable } from "./schema.js";
import { Time } from "./values.js";

/** What may need attention, the most urgent first. */
export const ATTENTION_KINDS = [
  "stage",
  "engine",
  "connector",
  "delivery",
  "segment",
  "setup",
  "dead_letters",
  "rejected",
  "new_names",
  "job",
] as const;

export const Health = Type.Object(
  {
    state: Type.Enum(["ok", "late", "broken"]),
    message: Type.String({ description: "One sentence for the whole organization." }),
    behind_ms: Type.Integer({ description: "How long the oldest record waits that is not searchable yet." }),
    waiting_records: Type.Integer({ description: "Records that are accepted and not applied, imports included." }),
  },
  { component: "Health", description: "How the organization does." },
);
export type Health = Static<typeof Health>;

const StageLag = Type.Object({
  stage: Type.Enum(["apply", "search", "delivery"], {
    description:
      "`apply` is from the acceptance of a record to its application, `search` from there until it is searchable, `delivery` from the queueing of a message until the connector has it.",
  }),
  records: Type.Integer({ description: "How many records the percentiles are about." }),
  p50_ms: nullable(Type.Integer(), { description: "Null when there were no records." }),
  p95_ms: nullable(Type.Integer(), { description: "At most 9 % too high, never too low." }),
  behind_ms: Type.Integer({ description: "How long the oldest record waits at present." }),
});
export type StageLag = Static<typeof StageLag>;

const Lag = Type.Object({
  since: Type.String({ format: "date-time", description: "The percentiles are about records since then." }),
  stages: Type.Array(StageLag),
  behind_ms: Type.Integer(),
  waiting_records: Type.Integer(),
});
export type Lag = Static<typeof Lag>;

const ConnectorState = Type.Object({
  id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  status: Type.String(),
  messages: Type.Array(Type.String()),
  receives: Type.Boolean({ description: "False for a connector without a manifest: it only sends." }),
  queued_messages: Type.Integer(),
  lag_ms: Type.Integer({ description: "The age of the oldest message in its queue." }),
  circuit: Type.Enum([...CIRCUITS]),
  last_error: nullable(Type.String()),
  dead_letters: Type.Integer(),
  sent_last_hour: Type.Integer({ description: "Messages that were delivered." }),
  failed_last_hour: Type.Integer({ description: "Calls that failed." }),
});
export type ConnectorState = Static<typeof ConnectorState>;

const AttentionItem = Type.Object({
  kind: Type.Enum([...ATTENTION_KINDS]),
  severity: Type.Enum(["error", "warning"]),
  message: Type.String({ description: "What is wrong, as a sentence." }),
  count: Type.Integer(),
  ids: Type.Array(Type.String(), {
    description: "What it is about: connectors, segments or jobs by id, or a stage by name.",
  }),
});
export type AttentionItem = Static<typeof AttentionItem>;

const Intake = Type.Object({
  any: Type.Boolean({ description: "Whether a record was ever accepted." }),
  per_second: Type.Number({ description: "The average of the last ten to twenty seconds." }),
  minutes: Type.Array(Type.Object({ at: Time, count: Type.Integer() }), {
    description: "Accepted records in each of the last sixty minutes. The last minute is under way.",
  }),
});
export type Intake = Static<typeof Intake>;

const Overview = Type.Object({
  at: Time,
  users: Type.Integer(),
  accounts: Type.Integer(),
  intake: Intake,
  lag: Lag,
  connectors: Type.Array(ConnectorState, { description: "Those with trouble come first." }),
  attention: Type.Array(AttentionItem, { description: "What needs somebody, the worst first." }),
  health: Health,
});
export type Overview = Static<typeof Overview>;

const GrowthPoint = Type.Object({
  at: Type.String({ format: "date-time", description: "The start of the day, in UTC." }),
  total: Type.Integer({ description: "How many were there at the end of the day." }),
  created: Type.Integer(),
});
export type GrowthPoint = Static<typeof GrowthPoint>;

const Growth = Type.Object({ users: Type.Array(GrowthPoint), accounts: Type.Array(GrowthPoint) });
export type Growth = Static<typeof Growth>;

const MovingSegment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  subject_type: Type.Enum(["user", "account"]),
  size: Type.Integer(),
  entered: Type.Integer(),
  left: Type.Integer(),
  sizes: Type.Array(Type.Integer(), {
    description:
      "The size at the end of each of the last 30 days, in UTC; fewer for a segment that was created since. The last one is the present size.",
  }),
});
export type MovingSegment = Static<typeof MovingSegment>;

export const OVERVIEW_API = {
  "GET /api/v1/overview": { response: { 200: Overview } },
  "GET /api/v1/overview/health": { response: { 200: Health } },
  "GET /api/v1/overview/growth": { response: { 200: Growth } },
  "GET /api/v1/overview/segments": {
    response: {
      200: Type.Object({
        segments: Type.Array(MovingSegment, { description: "At most eight, the most moved first." }),
      }),
    },
  },
};
