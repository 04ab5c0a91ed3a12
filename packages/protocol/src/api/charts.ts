import { type Static, Type } from "typebox";
import { withDefault } from "./schema.js";

/** The intervals of charts. Times are UTC; a week begins on Monday. */
export const INTERVALS = ["hour", "day", "week", "month"] as const;

export const ChartSpan = Type.Object({
  from: Type.Optional(Type.String({ format: "date-time", description: "Default: 30 days before `to`." })),
  to: Type.Optional(Type.String({ format: "date-time", description: "Default: now." })),
  interval: withDefault("day", Type.Enum([...INTERVALS], { description: "UTC; a week begins on Monday." })),
});
export type ChartSpan = Static<typeof ChartSpan>;

export const SegmentChart = Type.Object(
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
  {
    component: "SegmentChart",
    description: "The size of a segment over time, since it was created or since its first known move.",
  },
);
export type SegmentChart = Static<typeof SegmentChart>;

export const CHARTS_API = {
  "GET /api/v1/charts/events": {
    querystring: Type.Object({
      ...ChartSpan.properties,
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
  "GET /api/v1/charts/segments": {
    querystring: ChartSpan,
    response: { 200: Type.Object({ interval: Type.String(), segments: Type.Array(SegmentChart) }) },
  },
  "GET /api/v1/charts/segments/{id}": {
    params: Type.Object({ id: Type.String({ description: "The id of a segment." }) }),
    querystring: ChartSpan,
    response: { 200: SegmentChart },
  },
};
