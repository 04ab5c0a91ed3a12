import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { VERSION } from "../version.js";
import { Scrapes } from "./scrapes.js";
import { ThreadTimes } from "./thread-times.js";

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Every metric of the server, by the name Prometheus sees. Every other thread has a table of its own, without the
 * metrics of the process, and `Scrapes` adds the tables up.
 */
export function createMetrics({ isMainThread = true } = {}) {
  const registry = new Registry();
  const registers = [registry];
  if (isMainThread) describeProcess(registry);
  const threadTimes = new ThreadTimes();
  const unread = new Counter({
    name: "muster_metrics_unread_total",
    help: "Times that figures could not be read for /metrics, mostly because an engine was away. They are missing then.",
    labelNames: ["figures"],
    registers,
  });
  return {
    registry,
    threadTimes,
    threadSeconds: new Counter({
      name: "muster_thread_cpu_seconds_total",
      help: "Processor time of the threads that run our code: main, pipeline, questions, admission, import, reference. Only on Linux.",
      labelNames: ["thread"],
      registers,
      collect() {
        threadTimes.measure(this);
      },
    }),
    threadFailures: new Counter({
      name: "muster_thread_failures_total",
      help: "Threads beside the main one that have ended by themselves, after an error or without memory.",
      labelNames: ["thread"],
      registers,
    }),
    scrapes: new Scrapes(registry, unread),
    requests: new Histogram({
      name: "muster_http_request_seconds",
      help: "Time to answer a request.",
      labelNames: ["method", "route", "status"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    connections: new Gauge({
      name: "muster_http_connections",
      help: "Open connections of clients.",
      registers,
    }),
    connectionsLimit: new Gauge({
      name: "muster_http_connections_limit",
      help: "The most open connections of clients; more are closed at once. One address may have half of them, unless TRUST_PROXY is set.",
      registers,
    }),
    refusedConnections: new Counter({
      name: "muster_http_connections_refused_total",
      help: "Connections that were closed at once because there were too many.",
      registers,
    }),
    entries: new Counter({
      name: "muster_ingest_entries_total",
      help: "Entries by result: accepted, refused by the gateway, duplicate, applied, rejected when applied.",
      labelNames: ["outcome"],
      registers,
    }),
    formulaProblems: new Counter({
      name: "muster_formula_problems_total",
      help: "Values that formulas of computed attributes could not compute although all that they need is set: no_value (such as a division by zero), too_large, wrong_type.",
      labelNames: ["reason"],
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
    stageLag: new Gauge({
      name: "muster_stage_lag_seconds",
      help: "How long the oldest record waits for a stage (apply; project, which makes it searchable), in the organization where that is longest. Imports are left out.",
      labelNames: ["stage"],
      registers,
    }),
    segmentStaleness: new Gauge({
      name: "muster_segment_staleness_seconds",
      help: "How long ago everybody was last compared with the segment for which that is longest, by organization: of segments whose query names now, and of new and edited ones. Broken ones are left out.",
      labelNames: ["organization"],
      registers,
    }),
    eventColumns: new Gauge({
      name: "muster_question_event_columns",
      help: "Properties of events that the embedded question engine has, or will have, in columns of their own, by state (wanted, filling, complete), in the organizations that are in use.",
      labelNames: ["state"],
      registers,
    }),
    eventColumnsFilled: new Gauge({
      name: "muster_question_event_columns_filled_ratio",
      help: "How much of the columns of properties of events is filled, from 0 to 1, in the organization with least.",
      registers,
    }),
    lastApplied: new Gauge({
      name: "muster_last_applied_timestamp_seconds",
      help: "When this process last applied a record, as Unix time. 0 before the first.",
      registers,
    }),
    waitingBatches: new Gauge({
      name: "muster_log_waiting_batches",
      help: "Rows of a log that a stage has not read: of the ingestion log (apply) and the change log (project).",
      labelNames: ["stage"],
      registers,
    }),
    enginesUp: new Gauge({
      name: "muster_engine_up",
      help: "1 when an engine answered while the metrics were read: postgres, questions, and nats when NATS_URL is set.",
      labelNames: ["engine"],
      registers,
    }),
    truncatedStreams: new Gauge({
      name: "muster_log_streams_truncated",
      help: "Streams of NATS that have lost their end and are the ingestion log of an organization. Their batches are refused.",
      registers,
    }),
    diskFree: new Gauge({
      name: "muster_disk_free_bytes",
      help: "Space on the disk of DATA_DIR that is free.",
      registers,
    }),
    diskTotal: new Gauge({
      name: "muster_disk_total_bytes",
      help: "Size of the disk of DATA_DIR.",
      registers,
    }),
    databaseBytes: new Gauge({
      name: "muster_database_bytes",
      help: "Size of the database in PostgreSQL.",
      registers,
    }),
    questionsBytes: new Gauge({
      name: "muster_questions_bytes",
      help: "Size of the files of the embedded question engine. Missing with CLICKHOUSE_URL.",
      registers,
    }),
    unfinishedJobs: new Gauge({
      name: "muster_jobs_unfinished",
      help: "Jobs that wait or run.",
      labelNames: ["type", "status"],
      registers,
    }),
    jobs: new Counter({
      name: "muster_jobs_total",
      help: "Jobs by how they ended: completed, failed, canceled.",
      labelNames: ["type", "outcome"],
      registers,
    }),
    jobRecords: new Counter({
      name: "muster_job_records_total",
      help: "Records that jobs have processed.",
      labelNames: ["type"],
      registers,
    }),
    deliveredMessages: new Counter({
      name: "muster_connector_messages_total",
      help: "Messages sent to a connector, by what became of them: delivered, deferred, refused, unavailable, skipped, retried, unreported.",
      labelNames: ["connector", "outcome"],
      registers,
    }),
    unusableReports: new Counter({
      name: "muster_connector_unusable_reports_total",
      help: "Results that a connector reported about messages that were not in its call, or in words that are not known.",
      labelNames: ["connector"],
      registers,
    }),
    connectorQueue: new Gauge({
      name: "muster_connector_queue_messages",
      help: "Messages that wait for a connector.",
      labelNames: ["connector"],
      registers,
    }),
    connectorLag: new Gauge({
      name: "muster_connector_lag_seconds",
      help: "Age of the oldest message that waits for a connector.",
      labelNames: ["connector"],
      registers,
    }),
    connectorFailures: new Gauge({
      name: "muster_connector_failures",
      help: "Calls to a connector that failed in a row.",
      labelNames: ["connector"],
      registers,
    }),
    connectorDeadLetters: new Gauge({
      name: "muster_connector_dead_letters",
      help: "Messages that could not be delivered to a connector.",
      labelNames: ["connector"],
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

/**
 * How often the lag of the event loop is looked at. Every 10 ms, the default, took 1 % of a processor of an idle server, and every
 * 50 ms was still two thirds of the times that its main thread woke up.
 */
const LOOK_AT_LAG_EVERY_MS = 200;

function describeProcess(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LOOK_AT_LAG_EVERY_MS });
  new Gauge({
    name: "muster_build_info",
    help: "Always 1. The label has the version of the server.",
    labelNames: ["version"],
    registers: [register],
  }).set({ version: VERSION }, 1);
}
