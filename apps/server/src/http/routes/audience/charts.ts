import { DAY_MS, EARLIEST_STORED_MS, LATEST_STORED_MS, Refusal } from "@muster/protocol";
import { ATTRIBUTES_API } from "@muster/protocol/api/attributes";
import { CHARTS_API, type ChartSpan } from "@muster/protocol/api/charts";
import type { Attributes } from "../../../audience/attributes/attributes.js";
import type { Charts } from "../../../audience/search/charts.js";
import type { Span } from "../../../domain/charts/intervals.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";

// Charts list every interval, so the time must be limited.
const DEFAULT_SPAN_MS = 30 * DAY_MS;

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
        ...CHARTS_API["GET /api/v1/charts/events"],
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
        ...CHARTS_API["GET /api/v1/charts/segments"],
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
        ...CHARTS_API["GET /api/v1/charts/segments/{id}"],
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
          ...ATTRIBUTES_API[`GET /api/v1/charts/${subjectType}_traits/{*}`],
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

function readSpan({ from, to, interval }: ChartSpan): Span {
  const end = to === undefined ? Date.now() : Date.parse(to);
  const start = from === undefined ? end - DEFAULT_SPAN_MS : Date.parse(from);
  for (const [name, time] of Object.entries({ from: start, to: end })) {
    if (time >= EARLIEST_STORED_MS && time <= LATEST_STORED_MS) continue;
    throw new Refusal("invalid_parameter", `${name} must be between 1900 and 2299.`, {
      details: [{ path: `query.${name}`, message: "must be between 1900 and 2299" }],
    });
  }
  return { from: new Date(start), to: new Date(end), interval };
}
