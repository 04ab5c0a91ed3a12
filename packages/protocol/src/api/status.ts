import { type Static, Type } from "typebox";
import { CONNECTOR_STATUSES } from "../manifest/manifest.js";
import { Job } from "./jobs.js";
import { PageQuery } from "./paging.js";
import { nullable, textIn } from "./schema.js";
import { Time } from "./values.js";

export const ConnectorStatus = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: textIn(CONNECTOR_STATUSES),
    messages: Type.Array(Type.String()),
    updated_at: nullable(Type.String()),
  },
  { component: "ConnectorStatus", description: "The status of a connector." },
);
export type ConnectorStatus = Static<typeof ConnectorStatus>;

const PastStatus = Type.Object({
  status: textIn(CONNECTOR_STATUSES),
  messages: Type.Array(Type.String()),
  source: textIn(["install", "connector", "poll", "operator"], {
    description: "Who set it: `install`, `connector`, `poll` or `operator`.",
  }),
  created_at: Time,
});
export type PastStatus = Static<typeof PastStatus>;

const Problem = Type.Object({
  kind: Type.Enum(["stage", "segment"]),
  id: Type.String({ description: "The name of the stage, or the id of the segment." }),
  name: Type.String(),
  message: Type.String({ description: "Why it does not work." }),
  since: Time,
});
export type Problem = Static<typeof Problem>;

const Status = Type.Object({
  jobs: Type.Array(Job),
  connectors: Type.Array(ConnectorStatus),
  problems: Type.Array(Problem),
});
export type Status = Static<typeof Status>;

const params = Type.Object({ id: Type.String({ description: "Connector id, or `app` for the calling one." }) });

/** The jobs that run or wait, and the statuses that connectors report. */
export const STATUS_API = {
  "GET /api/v1/status": { response: { 200: Status } },
  "GET /api/v1/{id}/status": { params, response: { 200: ConnectorStatus } },
  "PUT /api/v1/{id}/status": {
    params,
    body: Type.Object({
      status: Type.Enum([...CONNECTOR_STATUSES]),
      messages: Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 100 }),
    }),
    response: { 200: ConnectorStatus },
  },
  "GET /api/v1/{id}/status/history": { params, querystring: PageQuery, response: { 200: Type.Array(PastStatus) } },
};
