import type { Client } from "@muster/client";
import type { SegmentRecord } from "@muster/protocol";
import type { Cache } from "cache-manager";
import { type ConnectorCache, openCache, protectReservedKeys, SEGMENTS_KEY } from "../cache/connector-cache.js";
import { readConnectorRecord } from "../connector-record.js";
import { RequestError } from "../errors/request-error.js";
import { handleExtract } from "../helpers/handle-extract.js";
import { requestExtract } from "../helpers/request-extract.js";
import { createMetric } from "../metrics/metric.js";
import type { Instrumentation } from "../metrics/metric-sink.js";
import type { ServiceCalls } from "../metrics/service-calls.js";
import { enqueue } from "../queue/enqueue.js";
import type { QueueAdapter } from "../queue/queue-adapter.js";
import type { Credentials } from "../trust/credentials.js";
import type { OwnRecord } from "../trust/own-record.js";
import type { TrustedOrganizations } from "../trust/trusted-organizations.js";
import type { Context } from "./context.js";
import { type ClientOptions, createClient } from "./create-client.js";
import { NotificationResponse } from "./notification-response.js";
import { loadConnector, loadSegments, type SegmentLists } from "./platform-records.js";
import { signRequestToken, type TokenUse } from "./request-token.js";
import { settle } from "./settle.js";

export interface ContextFactoryOptions extends ClientOptions {
  connectorVersion: string;
  organizations: TrustedOrganizations;
  ownRecord: OwnRecord;
  hostSecret: string | undefined;
  /** Where browsers and other services reach the connector; undefined when that is where it is installed. */
  publicUrl: string | undefined;
  cache: Cache | false;
  queue: QueueAdapter;
  instrumentation: Instrumentation;
  /** Reports the metrics that Muster shows. */
  serviceCalls: ServiceCalls;
}

/** What is known about a request besides its credentials. */
export interface RequestDetails {
  requestId?: string | undefined;
  /** The origin that the request was sent to; used when Muster does not know the connector's address. */
  origin?: string | undefined;
  isBatch?: boolean | undefined;
  /** The records in a signed notification. Without them Muster is asked, and its answer is cached. */
  records?: NotifiedRecords | undefined;
}

interface NotifiedRecords {
  connector: unknown;
  segments: SegmentRecord[];
  accountsSegments: SegmentRecord[];
  /** Whether the lists have only some of the segments. */
  isPartial: boolean;
}

/** Makes contexts. Rejects when Muster does not accept the credentials. */
export class ContextFactory {
  readonly #options: ContextFactoryOptions;

  constructor(options: ContextFactoryOptions) {
    this.#options = options;
  }

  /** The context of a call from outside. Rejects also when the credentials are those of another connector. */
  async createForCall(credentials: Credentials, details: RequestDetails): Promise<Context> {
    const context = await this.create(credentials, details);
    this.#options.ownRecord.require(context.connector);
    return context;
  }

  /** A context with credentials that the connector's own code has chosen, or that came with an earlier call. */
  async create(credentials: Credentials, details: RequestDetails = {}): Promise<Context> {
    const { queue, organizations } = this.#options;
    const { organization } = credentials;
    organizations.require(organization);
    const client = this.#openClient(credentials, details.requestId);
    const cache = openCache(this.#options.cache, credentials);
    const connector = details.records
      ? readConnectorRecord(details.records.connector, credentials.id)
      : await loadConnector(client, cache, credentials);
    const segments = await segmentsFor(client, cache, details.records);
    const installedAt = (connector.source_url ?? details.origin ?? "").replace(/\/+$/, "");
    const baseUrl = this.#options.publicUrl ?? installedAt;
    const answer = new NotificationResponse();
    const context: Context = {
      client,
      connector,
      segments: segments.users,
      accountsSegments: segments.accounts,
      cache: protectReservedKeys(cache),
      metric: this.#openMetric(client, credentials),
      enqueue: (name, payload, options) => enqueue(queue, credentials, name, payload, options),
      helpers: {
        handleExtract: (options) => handleExtract((url) => organizations.locate(url, organization), options),
        requestExtract: (options) => requestExtract(client, installedAt, options),
        async updateSettings(newSettings) {
          const updated = readConnectorRecord(await client.utils.settings.update(newSettings), credentials.id);
          await cache.set(credentials.id, updated);
          context.connector = updated;
          return updated;
        },
        webhookUrl: (path) => {
          const { pathname } = new URL(path, "http://connector");
          const token = this.#signToken(credentials, `webhook ${pathname}`);
          if (token === undefined) throw new Error("Addresses of webhooks need the option `hostSecret`.");
          return `${baseUrl}${pathname}?${new URLSearchParams({ token })}`;
        },
      },
      baseUrl,
      token: this.#signToken(credentials, "page"),
      isBatch: details.isBatch ?? false,
      report: (message, report) => void answer.addResult(message.message_id, report),
      settle: (...reports) => settle(client, reports),
      smartNotifierResponse: answer,
    };
    return context;
  }

  /** Updates the cached connector and drops the cached segments when a notification says that they changed. */
  async refreshCache(credentials: Credentials, channel: string, { connector }: Context): Promise<void> {
    const cache = openCache(this.#options.cache, credentials);
    if (channel === "ship:update") await cache.set(credentials.id, connector);
    if (channel.includes("segment")) await cache.del(SEGMENTS_KEY);
  }

  #signToken(credentials: Credentials, use: TokenUse): string | undefined {
    const { hostSecret } = this.#options;
    return hostSecret === undefined ? undefined : signRequestToken(credentials, use, hostSecret, Date.now());
  }

  #openClient(credentials: Credentials, requestId: string | undefined): Client {
    try {
      return createClient(this.#options, credentials, requestId);
    } catch (cause) {
      throw new RequestError(401, "invalid_credentials", "The credentials are not usable.", { cause });
    }
  }

  #openMetric(client: Client, credentials: Credentials) {
    const { connectorName, connectorVersion, instrumentation, serviceCalls } = this.#options;
    const { id, organization } = credentials;
    return createMetric([...instrumentation, serviceCalls.sinkFor(client, credentials)], {
      connector_name: connectorName,
      connector_version: connectorVersion,
      connector: id,
      organization,
    });
  }
}

/** All segments of the organization. Those in a notification are newer than the ones in the cache. */
async function segmentsFor(
  client: Client,
  cache: ConnectorCache,
  records: NotifiedRecords | undefined,
): Promise<SegmentLists> {
  if (!records) return loadSegments(client, cache);
  const { segments, accountsSegments, isPartial } = records;
  if (!isPartial) return { users: segments, accounts: accountsSegments };
  const known = await loadSegments(client, cache);
  return { users: withNewer(known.users, segments), accounts: withNewer(known.accounts, accountsSegments) };
}

function withNewer(known: readonly SegmentRecord[], newer: readonly SegmentRecord[]): SegmentRecord[] {
  return [...new Map([...known, ...newer].map((segment) => [segment.id, segment])).values()];
}
