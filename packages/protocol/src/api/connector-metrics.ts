import { type Static, Type } from "typebox";
import { FIGURE_RANGES } from "./deliveries.js";
import { nullable, withDefault } from "./schema.js";
import { OptionalTime, Time } from "./values.js";

/** The metrics of a connector that people see: calls to its service, and how many more the service allows now. */
export const SERVICE_METRICS = ["ship.service_api.call", "ship.service_api.remaining"] as const;
export type ServiceMetric = (typeof SERVICE_METRICS)[number];

/** The largest value that is counted. */
export const MAX_METRIC_VALUE = 1_000_000_000_000;

const GivenMetric = Type.Object({
  name: Type.Enum([...SERVICE_METRICS], { description: `\`${SERVICE_METRICS.join("` or `")}\`.` }),
  value: Type.Number({ minimum: 0, maximum: MAX_METRIC_VALUE, description: "Calls are added up." }),
});
export type GivenMetric = Static<typeof GivenMetric>;

const calls = Type.Integer({ description: "Calls to the service." });
const remaining = nullable(Type.Integer(), {
  description: "The least number of calls that the service still allowed; null when the connector did not say.",
});

const ServiceCalls = Type.Object(
  {
    from: Time,
    to: Time,
    step_ms: Type.Integer({ description: "The time that each point is about." }),
    points: Type.Array(Type.Object({ at: Time, calls, remaining })),
    total: Type.Object({ calls }),
    last: Type.Object(
      { at: OptionalTime, remaining },
      { description: "What the connector reported last, within a month." },
    ),
  },
  { component: "ServiceCalls", description: "How much a connector uses the API of its service." },
);
export type ServiceCalls = Static<typeof ServiceCalls>;

const params = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });

/** What connectors report about the API of the service that they work with. */
export const CONNECTOR_METRICS_API = {
  "POST /api/v1/{id}/metrics": {
    params,
    body: Type.Object({ metrics: Type.Array(GivenMetric, { maxItems: 100 }) }),
    response: { 200: Type.Object({ counted: Type.Integer({ description: "Metrics that were taken." }) }) },
  },
  "GET /api/v1/{id}/metrics": {
    params,
    querystring: Type.Object({
      range: withDefault("hour", Type.Enum([...FIGURE_RANGES], { description: "How far back." })),
    }),
    response: { 200: ServiceCalls },
  },
};
