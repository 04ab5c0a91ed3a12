import { DAY_MS, EARLIEST_STORED_MS, LATEST_STORED_MS, Refusal } from "@muster/protocol";
import { type Static, Type } from "typebox";
import type { Attributes } from "../../../audience/attributes.js";
import type { Charts } from "../../../audience/charts.js";
import { INTERVALS, type Span } from "../../../domain/charts/intervals.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";

const SpanQuery = Type.Object({
  from: Type.Optional(Type.String({ format: "date-time", description: "Default: 30 days before `to`." })),
  to: Type.Optional(Type.String({ format: "date-time", description: "Default: now." })),
  interval: Type.Enum([...INTERVALS], { default: "day", description: "UTC; a week begins on Monday." }),
});

// Charts list every interval, so the time must be limited.
const DEFAULT_SPAN_MS = 30 * DAY_MS;

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const Bars = Type.Array(Type.Object({ value: Value, count: Type.Integer() }));

const SegmentChart = Type.Object(
  {
    segment_id: Type.String(),
    interval: Type.String(),
    points: Type.Array(
      Type.Object({
        at: Type.String({ description: "The start of the interval." }),
        size: Type.Integer({ description: "How many members it had at the end of the interval." }),
        entered: Type.Integer({ description: "How many entered within the interval." }),
        left: Type.Integer(),
      }),
    ),
  },
  { component: "SegmentChart", description: "The size of a segment over time." },
);

export interface ChartRoutesOptions {
  charts: Charts;
  attributes: Attributes;
}

/** Routes for the figures of charts: events over time, segments over time, the values of an attribute. */
export function chartRoutes(app: App, { charts, attributes }: ChartRoutesOptions): void {
  app.get(
    "/charts/events",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "The number of events over time, by name",
        querystring: Type.Object({
          ...SpanQuery.properties,
          event: Type.Optional(
            Type.Array(Type.String(), {
              maxItems: 50,
              description: "Names of events; default: the ten most frequent.",
            }),
          ),
        }),
        response: {
          200: Type.Object({
            interval: Type.String(),
            series: Type.Array(
              Type.Object({
                event: Type.String(),
                total: Type.Integer(),
                points: Type.Array(Type.Object({ at: Type.String(), count: Type.Integer() })),
              }),
            ),
          }),
        },
      },
    },
    ({ caller, query }) => charts.events(caller.organization.id, readSpan(query), query.event),
  );

  app.get(
    "/charts/segments",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "The sizes of all segments over time",
        querystring: SpanQuery,
        response: { 200: Type.Object({ interval: Type.String(), segments: Type.Array(SegmentChart) }) },
      },
    },
    async ({ caller, query }) => {
      const span = readSpan(query);
      return { interval: span.interval, segments: await charts.segments(caller.organization.id, span) };
    },
  );

  app.get(
    "/charts/segments/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["charts"],
        summary: "The size of a segment over time",
        params: Type.Object({ id: Type.String({ description: "The id of a segment." }) }),
        querystring: SpanQuery,
        response: {
          200: SegmentChart,
        },
      },
    },
    async ({ caller, params, query }) => {
      const chart = await charts.segment(caller.organization.id, params.id, readSpan(query));
      if (!chart) throw notFound("segment", params.id);
      return chart;
    },
  );

  for (const subjectType of ["user", "account"] as const) {
    app.get(
      `/charts/${subjectType}_traits/*`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["charts"],
          summary: `The most frequent values of one ${subjectType} attribute and, for numbers and dates, a histogram`,
          params: Type.Object({ "*": Type.String({ minLength: 1, maxLength: 300, description: "Attribute name." }) }),
          querystring: Type.Object({
            size: Type.Integer({ minimum: 1, maximum: 100, default: 10, description: "Number of values." }),
            segment_id: Type.Optional(Type.String({ description: "Only members of this segment." })),
          }),
          response: {
            200: Type.Object({
              key: Type.String(),
              type: Type.String(),
              total: Type.Integer(),
              missing: Type.Integer(),
              distinct: Type.Integer(),
              top: Bars,
              histogram: Bars,
            }),
          },
        },
      },
      async ({ caller, params, query }, reply) => {
        const field = await attributes.findField(caller.organization.id, subjectType, params["*"]);
        if (!field) throw notFound(`${subjectType} attribute`, params["*"]);
        const { size, segment_id: segmentId } = query;
        const signal = abortOnDisconnect(reply);
        return charts.distribution(caller.organization.id, subjectType, { ...field, size, segmentId, signal });
      },
    );
  }
}

function readSpan({ from, to, interval }: Static<typeof SpanQuery>): Span {
  const end = to === undefined ? Date.now() : Date.parse(to);
  const start = from === undefined ? end - DEFAULT_SPAN_MS : Date.parse(from);
  for (const [name, time] of Object.entries({ from: start, to: end })) {
    if (time >= EARLIEST_STORED_MS && time <= LATEST_STORED_MS) continue;
    throw new Refusal("invalid_parameter", `${name} must be between 1900 and 2299.`, {
      details: [{ path: `query.${name}`, message: "must be between 1900 and 2299" }],
    });
  }
  return { from: new Date(start), to: new Date(end), interval: interval as Span["interval"] };
}
