import type { Client } from "@muster/client";
import type { MessageReport, SegmentRecord } from "@muster/protocol";
import type { ConnectorCache } from "../cache/connector-cache.js";
import type { ConnectorRecord } from "../connector-record.js";
import type { HandleExtractOptions } from "../helpers/handle-extract.js";
import type { RequestExtractOptions } from "../helpers/request-extract.js";
import type { Metric } from "../metrics/metric.js";
import type { EnqueueOptions } from "../queue/queue-adapter.js";
import type { NotificationResponse, Report } from "./notification-response.js";

/** Everything a handler needs: the connector that the request is about, and the tools to act on it. */
export interface Context {
  /** A client with the connector's credentials. */
  readonly client: Client;
  /** The connector with its settings; `helpers.updateSettings` replaces it. */
  connector: ConnectorRecord;
  /** The user segments of the organization. */
  readonly segments: readonly SegmentRecord[];
  readonly accountsSegments: readonly SegmentRecord[];
  readonly cache: ConnectorCache;
  readonly metric: Metric;
  /**
   * Puts a job in the queue; a worker runs the handler of that name, with its own context.
   *
   * @example
   * await ctx.enqueue("syncList", { listId }, { delay: 60_000 });
   */
  enqueue(jobName: string, jobPayload: unknown, options?: EnqueueOptions): Promise<void>;
  readonly helpers: Helpers;
  /** The address of this server, without a slash at the end. */
  readonly baseUrl: string;
  /**
   * The credentials as one string signed with `hostSecret`, for links between the connector's pages and to its JSON
   * endpoints. It expires after twelve hours. Undefined without that option.
   */
  readonly token: string | undefined;
  /** Whether the messages belong to an export or an extract. Otherwise they are about changes. */
  readonly isBatch: boolean;
  /**
   * Says what became of a message at the service. People see it on the person's timeline and in the deliveries of the
   * connector. Once a handler has reported about one message of a call, the others are shown as not reported.
   *
   * @example
   * ctx.report(message, { result: "refused", status: 400, body: answer.text });
   * ctx.report(message, { result: "skipped", reason: "The user has no email address." });
   */
  report(message: { readonly message_id: string }, report: Report): void;
  /**
   * Says what became of messages after their notification was answered: in a job, or when the service calls a webhook. It is
   * for messages that were reported as `retried`. Rejects when Muster does not take it.
   *
   * @example
   * await ctx.settle({ message_id: payload.messageId, result: "accepted", status: 201 });
   */
  settle(...reports: readonly MessageReport[]): Promise<void>;
  /** The answer to the notification. */
  readonly smartNotifierResponse: NotificationResponse;
}

export interface Helpers {
  /**
   * Reads the file of an extract and gives its records to the handler, one batch at a time. The file must be on a host of
   * the organization's platform.
   *
   * @example
   * await ctx.helpers.handleExtract({ body, batchSize: 100, handler: (users) => send(users) });
   */
  handleExtract(options: HandleExtractOptions): Promise<void>;
  /**
   * Asks Muster for an extract, which it sends to a path of this connector.
   *
   * @example
   * await ctx.helpers.requestExtract({ segment: ctx.segments[0], path: "/batch" });
   */
  requestExtract(options?: RequestExtractOptions): Promise<unknown>;
  /**
   * Merges into the private settings, and replaces `ctx.connector` and the cached connector. Muster then sends a
   * `ship:update` notification: updating settings in answer to one makes a loop.
   */
  updateSettings(newSettings: Readonly<Record<string, unknown>>): Promise<ConnectorRecord>;
  /**
   * The address of a webhook, to give to another service. Its token does not expire, and is good for this path alone: it
   * opens no page and no other webhook. Needs the option `hostSecret`.
   *
   * @example
   * ctx.helpers.webhookUrl("/webhooks/billing");
   */
  webhookUrl(path: string): string;
}
