import { randomUUID } from "node:crypto";
import { type Brand, type Notification, parseJson } from "@muster/protocol";
import type { WholeLists } from "../../audience/segments/segment-lists.js";
import type { ListedConnector } from "../../connectors/connector-directory.js";
import { fullConnectorRecord } from "../../connectors/connector-record.js";
import { originOf } from "../../domain/connectors/bundled-address.js";
import type { Connector } from "../../domain/connectors/connector.js";
import { connectorUrl, credentialedUrl } from "../../domain/connectors/connector-url.js";
import { SecretRedactor } from "../../domain/connectors/secret-redactor.js";
import type { FailedCall } from "../../domain/delivery/dead-letter.js";
import type { CallOutcome } from "../../domain/delivery/delivery.js";
import type { StoredMessage } from "../../domain/delivery/message.js";
import { type MessageResult, messageResults } from "../../domain/delivery/message-result.js";
import { type ReportedResults, readReportedResults } from "../../domain/delivery/reported-results.js";
import { tailorMessage } from "../../domain/delivery/tailor-message.js";
import type { Addresses } from "../../domain/organizations/addresses.js";
import type { OutboundAnswer } from "../../outbound/exchange.js";
import { OutboundError } from "../../outbound/outbound-error.js";
import type { TrustedFetch } from "../../outbound/trusted-fetch.js";
import type { QueueHead } from "./connector-queue.js";
import type { SentLists } from "./lists-to-send.js";
import type { NotificationSigner } from "./notification-signer.js";
import { readPlainAnswer, readSmartAnswer } from "./read-answer.js";

export interface CallOptions {
  fetch: TrustedFetch;
  signer: NotificationSigner;
  addresses: Addresses;
  brand: Brand;
  timeoutMs: number;
  signal: AbortSignal;
}

/** What one call has sent, and its result. */
export interface CallResult extends Pick<FailedCall, "request" | "answer"> {
  messages: readonly StoredMessage[];
  /** The messages as they were sent. */
  sent: readonly object[];
  outcome: CallOutcome;
  /** What became of each message. */
  results: readonly MessageResult[];
  /** How many results the connector reported that say nothing about these messages. */
  unusableReports: number;
  sentAt: Date;
  durationMs: number;
}

// An answer is a few lines long, and longer if it reports about each of 10,000 messages. Its beginning is kept, so that
// people can read it.
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const KEPT_ANSWER_LENGTH = 4_096;

/** A call has fewer messages when they are longer together. Old connectors take bodies of 20 MB. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Prepares one signed notification under flow control, with the first messages of a queue: as many as fit, one at least.
 * The returned function sends it.
 */
export async function prepareSmart(
  options: CallOptions,
  listed: ListedConnector,
  head: Pick<QueueHead, "url" | "channel" | "isExport" | "messages">,
  { all, sent: lists }: { all: WholeLists; sent: SentLists },
  /** How many attempts at these messages were made before. */
  retries: number,
): Promise<() => Promise<CallResult>> {
  const { connector, namespace } = listed;
  const { signer, addresses } = options;
  const organization = addresses.organizationHost(namespace);
  const notification: Omit<Notification, "messages"> = {
    notification_id: randomUUID(),
    channel: head.channel,
    is_export: head.isExport,
    configuration: { id: connector.id, organization, secret: connector.secret },
    connector: fullConnectorRecord(connector),
    ...lists,
    kraken: { retries },
  };
  const rest = JSON.stringify(notification);
  const tailoredMessages = tailored(listed, head, all, options.brand);
  const texts = firstTexts(tailoredMessages, MOST_BYTES - Buffer.byteLength(rest));
  const sent = tailoredMessages.slice(0, texts.length);
  const body = `${rest.slice(0, -1)},"messages":[${texts.join(",")}]}`;
  const signature = await signer.headersFor(notification.notification_id, organization, body, Date.now());
  const exchange: Exchange = {
    sent,
    connector,
    url: connectorUrl(connector, head.url),
    headers: { "content-type": "application/json", ...signature },
    body,
    read: readSmartAnswer,
  };
  const messages = head.messages.slice(0, sent.length);
  return () => exchangeMessages(options, messages, notification.notification_id, exchange);
}

/** The first messages as JSON, as many as are not longer than `mostBytes` together, one at least. */
function firstTexts(messages: readonly object[], mostBytes: number): string[] {
  const texts: string[] = [];
  let bytes = 0;
  for (const message of messages) {
    const text = JSON.stringify(message);
    bytes += Buffer.byteLength(text);
    if (texts.length > 0 && bytes > mostBytes) break;
    texts.push(text);
  }
  return texts;
}

/** Sends a message as a notification of its own. */
export async function callPlain(
  options: CallOptions,
  listed: ListedConnector,
  { url: path, channel, isExport }: Pick<QueueHead, "url" | "channel" | "isExport">,
  message: StoredMessage,
  lists: WholeLists,
): Promise<CallResult> {
  const { connector, namespace } = listed;
  const organization = options.addresses.organizationHost(namespace);
  const sent = tailored(listed, { url: path, isExport, messages: [message] }, lists, options.brand);
  const id = randomUUID();
  return exchangeMessages(options, [message], id, {
    sent,
    connector,
    url: credentialedUrl(connector, organization, path),
    headers: {
      "content-type": "application/json",
      "x-amz-sns-message-type": "Notification",
      "x-amz-sns-message-id": id,
    },
    body: JSON.stringify({
      Type: "Notification",
      MessageId: id,
      Subject: snsSubject(channel),
      Timestamp: new Date().toISOString(),
      Message: JSON.stringify(sent[0]),
    }),
    read: readPlainAnswer,
  });
}

interface Exchange {
  /** The messages as they are in the body. */
  sent: readonly object[];
  connector: Connector;
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** What the answer means. `json` is undefined when its body is not JSON. */
  read(answer: OutboundAnswer, json: unknown): CallOutcome;
}

async function exchangeMessages(
  { fetch, timeoutMs, signal }: CallOptions,
  messages: readonly StoredMessage[],
  notificationId: string,
  { sent, connector, url, headers, body, read }: Exchange,
): Promise<CallResult> {
  // The clock by which pauses are decided.
  const sentAt = new Date(Date.now());
  const startedAt = performance.now();
  // The query string is left out, because it may contain the secret of the connector.
  const request = {
    url: originOf(url) + url.pathname,
    notification_id: notificationId,
    messages: messages.length,
    sent_at: sentAt.toISOString(),
  };
  const end = (outcome: CallOutcome, answer: FailedCall["answer"], reported?: ReportedResults): CallResult => {
    const durationMs = performance.now() - startedAt;
    const results = messageResults(messages, outcome, answer, reported);
    const unusableReports = reported?.unusable ?? 0;
    return { messages, sent, outcome, results, unusableReports, request, answer, sentAt, durationMs };
  };
  try {
    const answer = await fetch(url.href, {
      method: "POST",
      headers,
      body,
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    });
    const text = await answer.text();
    const json = parseJson(text);
    const outcome = read(answer, json);
    // Some connectors echo the request in their answer, with their secret and their private settings.
    const redactor = new SecretRedactor(connector);
    const kept = redactor.text(text).slice(0, KEPT_ANSWER_LENGTH);
    const ids = new Set(messages.map(({ message_id }) => message_id));
    const reported = readReportedResults(json, ids, (given) => redactor.text(given));
    return end(outcome, { status: answer.status, body: kept }, reported);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const kind = error.problem === "too_large" ? "refused" : "unavailable";
    return end({ kind, reason: error.message, flow: undefined }, null);
  }
}

/** Messages in the form that the connector gets them. */
export function tailored(
  { connector, subscriptions }: ListedConnector,
  head: Pick<QueueHead, "url" | "isExport" | "messages">,
  { byId }: WholeLists,
  { eventSource }: Brand,
): object[] {
  // The manifest may have changed since the messages were queued. If the subscription is gone, they are sent in full.
  const declared = subscriptions.find(({ url }) => url === head.url) ?? {
    connectorName: connector.name,
    url: head.url,
    channels: undefined,
    filters: {},
    events: undefined,
  };
  // A person chose the members of an export, so the filter of the subscription does not apply to them.
  const subscription = head.isExport ? { ...declared, filters: {} } : declared;
  return head.messages.map((message) =>
    message.kind === "notice" && message.sends === "connector"
      ? fullConnectorRecord(connector)
      : tailorMessage(message, subscription, byId, eventSource),
  );
}

/** Plain notifications use another name for the channel `user:update`. */
function snsSubject(channel: string): string {
  return channel === "user:update" ? "user_report:update" : channel;
}
