export type { JobHandler } from "./jobs/run-job.js";
/** The public surface, by name; `index.test.ts` pins it. */

// The errors of `ctx.client` are of this class. The package that servers give out contains the client, so that one of a
// separate `@muster/client` would be another class.
export { type AccountClient, type Client, ClientError, type ClientErrorCode, type UserClient } from "@muster/client";
export type { ConnectorCache } from "./cache/connector-cache.js";
export { Connector } from "./connector.js";
export type { ConnectorOptions } from "./connector-options.js";
export type { ConnectorRecord } from "./connector-record.js";
export type { Context, Helpers } from "./context/context.js";
export type { NotificationResponse, Report } from "./context/notification-response.js";
export { ConfigurationError } from "./errors/configuration-error.js";
export { LogicError } from "./errors/logic-error.js";
export { RateLimitError } from "./errors/rate-limit-error.js";
export { ReconciliationError } from "./errors/reconciliation-error.js";
export { type ErrorExtra, TransientError } from "./errors/transient-error.js";
export type { ConnectorHandlers, DeclaredOAuth, StatusAnswer, StatusHandler } from "./handlers/connector-handlers.js";
export { Reply, reply, View, view } from "./handlers/reply.js";
export type { EndpointHandler, HandlerOptions, IncomingRequest } from "./handlers/request-handler.js";
export type { ExtractedRecord, HandleExtractOptions } from "./helpers/handle-extract.js";
export type { RequestExtractOptions } from "./helpers/request-extract.js";
export { createHttp, type Http, type HttpOptions } from "./http/create-http.js";
export { type ErrorPluginOptions, errorPlugin } from "./http/error-plugin.js";
export { type InstrumentationPluginOptions, instrumentationPlugin } from "./http/instrumentation-plugin.js";
export { type TemplatedRequest, type TemplateVariables, urlTemplatePlugin } from "./http/url-template-plugin.js";
export type { Metric } from "./metrics/metric.js";
export type { Instrumentation, MetricSink, Tags } from "./metrics/metric-sink.js";
export { type PrometheusMetrics, prometheusMetrics } from "./metrics/prometheus-metrics.js";
export { type StatsdClient, statsdMetrics } from "./metrics/statsd-metrics.js";
export type { SegmentFilterSettings } from "./notifications/matches-filter.js";
export type {
  ChannelMessages,
  MessageHandler,
  NotificationHandlers,
  NotificationOptions,
} from "./notifications/notification-options.js";
export { standardEventsOf } from "./notifications/standard-events-of.js";
export type { AuthorizedAccount, OAuthOptions, OAuthRequest } from "./oauth/oauth-router.js";
export { type BullmqQueueOptions, bullmqQueue } from "./queue/bullmq-queue.js";
export { MemoryQueue, type MemoryQueueOptions } from "./queue/memory-queue.js";
export type { EnqueueOptions, JobRunner, QueueAdapter, QueuedJob } from "./queue/queue-adapter.js";
export { serve } from "./serve.js";
export { readSetting } from "./setting.js";
export type { Credentials } from "./trust/credentials.js";
