import { type Static, Type } from "typebox";
import { MessageReport } from "./message-report.js";
import { PageQuery } from "./paging.js";
import { freeObject, nullable, textIn, withDefault } from "./schema.js";
import { OptionalTime, Time } from "./values.js";

/** How far back figures go. */
export const FIGURE_RANGES = ["hour", "day", "week", "month"] as const;
export type FigureRange = (typeof FIGURE_RANGES)[number];

export const CIRCUITS = ["closed", "open", "half-open"] as const;
export type Circuit = (typeof CIRCUITS)[number];

export const Delivery = Type.Object(
  {
    connector_id: Type.String(),
    queued_messages: Type.Integer({ description: "Messages that wait to be sent." }),
    lag_ms: Type.Integer({ description: "Age of the oldest waiting message." }),
    circuit: textIn(CIRCUITS, {
      description:
        "`closed`; `open` after several failed calls in a row; `half-open` when the next call tests the connector.",
    }),
    next_call_at: OptionalTime,
    pause_reason: nullable(Type.String(), {
      description: "Why no call is made before `next_call_at`, as a sentence.",
    }),
    batch_size: Type.Integer({ description: "The largest number of messages in a call, as the connector asked for." }),
    failures: Type.Integer({ description: "How many calls failed in a row." }),
    last_error: nullable(Type.String()),
    sent_messages: Type.Integer(),
    failed_calls: Type.Integer(),
    dead_messages: Type.Integer({ description: "How many messages were ever given up." }),
    dead_letters: Type.Integer({ description: "How many of these are still kept." }),
    last_sent_at: OptionalTime,
    last_failed_at: OptionalTime,
  },
  { component: "Delivery", description: "How the delivery to a connector stands." },
);
export type Delivery = Static<typeof Delivery>;

const Counts = Type.Object({
  considered: Type.Integer({ description: "Messages about changes, on channels that the connector subscribes to." }),
  addressed: Type.Integer({ description: "Those that passed its filters." }),
  withheld: Type.Integer({
    description: "Messages that are not sent, because the user has not agreed to the purposes of the connector.",
  }),
  queued: Type.Integer({ description: "All that were queued: also exports, notices and dead letters sent again." }),
  calls: Type.Integer(),
  failed_calls: Type.Integer(),
  sent: Type.Integer({ description: "Messages in calls; each attempt at a message counts." }),
  delivered: Type.Integer({
    description:
      "Messages that the service has accepted, as the connector says. Its answer stands for those of its service.",
  }),
  skipped: Type.Integer({ description: "Messages for which the connector had nothing to do." }),
  unreported: Type.Integer({
    description: "Messages of which the connector said nothing, although it reported about others of the same call.",
  }),
  retried: Type.Integer({
    description: "Attempts after which the message stayed in the queue, or the connector tries again itself.",
  }),
  refused: Type.Integer({
    description:
      "Messages that the service refused for good. They are among the `dead`, unless the connector had tried them again itself.",
  }),
  dead: Type.Integer({ description: "Messages that were given up." }),
  lag_ms: Type.Integer({ description: "The longest time that a delivered message had waited." }),
});
export type Counts = Static<typeof Counts>;

const FailureCause = Type.Object({
  cause: Type.String({ description: "Why calls failed, without the values that differ from call to call." }),
  status: Type.Integer({
    description: "HTTP status of the answer, of the service if the connector reported it; 0 when there was none.",
  }),
  calls: Type.Integer(),
  messages: Type.Integer(),
  last_at: Time,
});

export const DeliveryFigures = Type.Object(
  {
    from: Time,
    to: Time,
    step_ms: Type.Integer({ description: "The time that each point is about." }),
    points: Type.Array(Type.Object({ at: Time, ...Counts.properties })),
    total: Counts,
    causes: Type.Array(FailureCause, { description: "The latest first." }),
  },
  { component: "DeliveryFigures", description: "What became of the messages of a connector over time." },
);
export type DeliveryFigures = Static<typeof DeliveryFigures>;

/**
 * What became of a message in a call. `delivered`: accepted, by the service if the connector reports it. `refused`: by the
 * connector, or by the service, as `reported` says. `deferred` and `unavailable`: it stays in the queue. `skipped`: the
 * connector had nothing to do. `retried`: the connector tries again itself. `unreported`: the connector said what became of
 * others of the call, and nothing about this one.
 */
export const TRACE_RESULTS = [
  "delivered",
  "deferred",
  "refused",
  "unavailable",
  "skipped",
  "retried",
  "unreported",
] as const;
export type TraceResult = (typeof TRACE_RESULTS)[number];

export const Trace = Type.Object(
  {
    sent_at: Time,
    connector_id: Type.String(),
    channel: Type.String(),
    result: textIn(TRACE_RESULTS, { description: `\`${TRACE_RESULTS.join("`, `")}\`.` }),
    status: Type.Integer({
      description: "HTTP status of the answer, of the service if the connector reported it; 0 when there was none.",
    }),
    duration_ms: Type.Integer(),
    notification_id: Type.String(),
    message_id: Type.String(),
    reason: Type.String(),
    reported: Type.Boolean({
      description: "Whether the connector reported the result of this message. Otherwise it is that of the whole call.",
    }),
    body: Type.String({
      description:
        "What the service answered, at most 2 kB, if it did not accept the message and the connector reported it.",
    }),
  },
  { component: "Trace", description: "A note about one message that was sent." },
);
export type Trace = Static<typeof Trace>;

export const ConnectorTrace = Type.Object(
  { ...Trace.properties, entity_id: Type.String({ description: "The object that the message was about." }) },
  { component: "ConnectorTrace", description: "A note about one message that a connector was sent." },
);
export type ConnectorTrace = Static<typeof ConnectorTrace>;

const SampleMessage = Type.Object(
  {
    entity_id: Type.String(),
    entity_type: Type.Enum(["user", "account"]),
    channel: Type.String(),
    url: Type.String({ description: "The path of the subscription." }),
    message: Type.Unsafe<object>(freeObject("The message as the connector gets it.")),
    passes_filter: Type.Boolean({ description: "Whether the connector would be told of changes, by its filter." }),
  },
  { component: "SampleMessage", description: "What a connector would be sent about a user or account." },
);
export type SampleMessage = Static<typeof SampleMessage>;

const TestedMessage = Type.Object(
  {
    ...SampleMessage.properties,
    notification_id: Type.String(),
    result: Trace.properties.result,
    reported: Trace.properties.reported,
    reason: Trace.properties.reason,
    status: Trace.properties.status,
    body: Type.String({ description: "What the service answered, if the connector reported it." }),
    answer: nullable(Type.Object({ status: Type.Integer(), body: Type.String() }), {
      description: "What the connector itself answered, cut when it is long; null when there was no answer.",
    }),
    duration_ms: Type.Integer(),
  },
  { component: "TestedMessage", description: "A message that was sent as a test, and what became of it." },
);
export type TestedMessage = Static<typeof TestedMessage>;

const testedEntity = Type.Optional(
  Type.String({ description: "A user or account. Default: the one who changed last of those who pass the filter." }),
);

const KeptMessage = Type.Object({
  url: Type.String(),
  request: Type.String({ description: "The message as JSON; cut when it is long." }),
  answer: Type.String({ description: "Empty when there was no answer." }),
});
export type KeptMessage = Static<typeof KeptMessage>;

const LaterReportsTaken = Type.Object({
  settled: Type.Integer({ description: "Messages whose result is known now." }),
  ignored: Type.Array(Type.String(), {
    description:
      "Messages that this connector was not sent, whose result was known before, or whose call was answered a moment ago.",
  }),
});
export type LaterReportsTaken = Static<typeof LaterReportsTaken>;

const connector = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });
const publicKey = {
  params: Type.Object({ id: Type.String({ description: "The id of a key." }) }),
  response: {
    200: {
      description: "The public key (SPKI, PEM).",
      content: { "text/plain": { schema: Type.String({ description: "`-----BEGIN PUBLIC KEY-----` …" }) } },
    },
  },
};

/** What connectors were sent, and the keys that notifications are signed with. Dead letters have a file of their own. */
export const DELIVERIES_API = {
  "GET /api/v1/deliveries": { querystring: PageQuery, response: { 200: Type.Array(Delivery) } },
  "POST /api/v1/deliveries/resume": {
    response: { 200: Type.Object({ resumed: Type.Boolean({ description: "False when they were called before." }) }) },
  },
  "GET /api/v1/{id}/delivery": { params: connector, response: { 200: Delivery } },
  "GET /api/v1/{id}/delivery/figures": {
    params: connector,
    querystring: Type.Object({
      range: withDefault("hour", Type.Enum([...FIGURE_RANGES], { description: "How far back the figures go." })),
    }),
    response: { 200: DeliveryFigures },
  },
  "GET /api/v1/{id}/delivery/traces": {
    params: connector,
    querystring: Type.Object({
      ...PageQuery.properties,
      entity_id: Type.Optional(Type.String({ description: "Only messages about this user, account or object." })),
      channel: Type.Optional(Type.String({ description: "Such as `user:update`." })),
      result: Type.Optional(
        Type.Enum(["delivered", "failed", "skipped", "open"], {
          description:
            "`delivered`; `failed`; `skipped` by the connector; `open`: the connector took the message and has not said yet what became of it.",
        }),
      ),
    }),
    response: { 200: Type.Array(ConnectorTrace) },
  },
  "POST /api/v1/{id}/delivery/results": {
    params: connector,
    body: Type.Object({ results: Type.Array(MessageReport, { maxItems: 1_000 }) }),
    response: { 200: LaterReportsTaken },
  },
  "GET /api/v1/{id}/delivery/messages/{notification_id}/{message_id}": {
    params: Type.Object({
      ...connector.properties,
      notification_id: Type.String({ description: "The call, as a trace names it." }),
      message_id: Type.String({ description: "The message, as a trace names it." }),
    }),
    response: { 200: KeptMessage },
  },
  "GET /api/v1/{id}/delivery/sample": {
    params: connector,
    querystring: Type.Object({ entity_id: testedEntity }),
    response: { 200: SampleMessage },
  },
  "POST /api/v1/{id}/delivery/test": {
    params: connector,
    body: Type.Object({ entity_id: testedEntity }),
    response: { 200: TestedMessage },
  },
  "GET /api/v1/{id}/traces": {
    params: Type.Object({
      id: Type.String({ description: "A user or account id, or `me`; also another object, `app` or `org`." }),
    }),
    querystring: Type.Object({
      ...PageQuery.properties,
      connector_id: Type.Optional(Type.String({ description: "Only calls to this connector." })),
    }),
    response: { 200: Type.Array(Trace) },
  },
  "POST /api/v1/keys": { response: { 201: Type.Object({ id: Type.String(), url: Type.String() }) } },
  "GET /keys/{id}": publicKey,
  "POST /keys/{id}": publicKey,
};
