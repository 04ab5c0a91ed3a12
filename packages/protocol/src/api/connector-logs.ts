import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { checkedOnlyAs, freeObject, type JsonObject, textIn, withDefault } from "./schema.js";
import { AttributeValue, Time } from "./values.js";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line as connectors send it. Any other key is kept in `data`. */
const GivenLogLine = Type.Unsafe<JsonObject>({
  type: "object",
  properties: {
    level: Type.String({ description: "`debug`, `info`, `warn` or `error`; other levels become one of these." }),
    message: Type.String(),
    data: { type: "object", additionalProperties: AttributeValue, description: "What belongs to the line." },
    hull_summary: Type.String({ description: "Of an error: what people should know." }),
    timestamp: { type: ["string", "number"], description: "When; default: now. `time` works too." },
  },
  additionalProperties: AttributeValue,
  description: "A line of a log.",
  component: "LogLine",
});

const GivenLogLines = Type.Union(
  [Type.Array(GivenLogLine), Type.Object({ logs: Type.Array(GivenLogLine) }), GivenLogLine],
  { component: "LogLines", description: "One line, a list of lines, or a list under `logs`." },
);

/** A line as the server keeps it. */
export const LogLine = Type.Object({
  at: Time,
  level: textIn(LOG_LEVELS),
  message: Type.String(),
  data: freeObject("What belongs to the line."),
  summary: Type.String({ description: "What people should know about an error (`hull_summary`)." }),
});
export type LogLine = Static<typeof LogLine>;

const LogTail = Type.Object({
  lines: Type.Array(LogLine, { description: "The oldest first." }),
  cursor: Type.String(),
});
export type LogTail = Static<typeof LogTail>;

const params = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });
const level = Type.Optional(Type.Enum([...LOG_LEVELS], { description: "Only lines of this level." }));
const anyObject = Type.Object({}, { additionalProperties: true });

/** What connectors log. */
export const CONNECTOR_LOGS_API = {
  "POST /api/v1/{id}/logs": {
    params,
    body: checkedOnlyAs(Type.Union([anyObject, Type.Array(anyObject)]), GivenLogLines),
    response: { 200: Type.Object({ logged: Type.Integer({ description: "Lines that were taken." }) }) },
  },
  "GET /api/v1/{id}/logs": {
    params,
    querystring: Type.Object({
      ...PageQuery.properties,
      level,
      summaries: withDefault(false, Type.Boolean({ description: "Only lines with a summary." })),
      text: Type.Optional(Type.String({ description: "Only lines that contain this text." })),
    }),
    response: { 200: Type.Array(LogLine) },
  },
  "GET /api/v1/{id}/logs/tail": {
    params,
    querystring: Type.Object({
      after: Type.Optional(
        Type.String({ pattern: "^[0-9]{1,18}$", description: "The cursor of an answer; without it, the last lines." }),
      ),
      limit: withDefault(100, Type.Integer({ minimum: 1, maximum: 1_000, description: "How many lines, about." })),
      level,
      text: Type.Optional(
        Type.String({ description: "Only lines that contain this text, such as an e-mail address or an id." }),
      ),
    }),
    response: { 200: LogTail },
  },
};
