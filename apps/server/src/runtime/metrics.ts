import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** Every metric of the server, by the name Prometheus sees. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: "muster_http_request_seconds",
      help: "Time to answer a request.",
      labelNames: ["method", "route", "status"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    entries: new Counter({
      name: "muster_ingest_entries_total",
      help: "Entries by result: accepted, refused by the gateway, duplicate, applied, rejected when applied.",
      labelNames: ["outcome"],
      registers,
    }),
    stageSeconds: new Histogram({
      name: "muster_pipeline_stage_seconds",
      help: "Time one micro-batch spent in a stage.",
      labelNames: ["stage"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    failingStages: new Gauge({
      name: "muster_pipeline_failing",
      help: "1 while the last step of a stage has failed for an organization.",
      labelNames: ["stage", "organization"],
      registers,
    }),
    backlog: new Gauge({
      name: "muster_ingest_backlog_entries",
      help: "Entries acknowledged and not yet applied, by organization.",
      labelNames: ["organization"],
      registers,
    }),
    jobs: new Counter({
      name: "muster_jobs_total",
      help: "Imports, extracts and exports by how they ended: completed, failed, canceled.",
      labelNames: ["type", "outcome"],
      registers,
    }),
    jobRecords: new Counter({
      name: "muster_job_records_total",
      help: "Records that imports, extracts and exports have processed.",
      labelNames: ["type"],
      registers,
    }),
    deliveredMessages: new Counter({
      name: "muster_connector_messages_total",
      help: "Messages sent to a connector, by how the call ended: delivered, deferred, refused, unavailable.",
      labelNames: ["connector", "outcome"],
      registers,
    }),
    connectorCallSeconds: new Histogram({
      name: "muster_connector_call_seconds",
      help: "Time a connector took to answer a notification.",
      labelNames: ["connector"],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
      registers,
    }),
    lostRows: new Counter({
      name: "muster_lost_rows_total",
      help: "Log lines of connectors and delivery traces that could not be stored.",
      labelNames: ["table"],
      registers,
    }),
    slowQueries: new Counter({
      name: "muster_slow_queries_total",
      help: "Statements that took longer than SLOW_QUERY_MS.",
      labelNames: ["engine"],
      registers,
    }),
  };
}
