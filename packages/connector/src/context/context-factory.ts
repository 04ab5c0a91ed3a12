import { type Client, ClientError } from "@muster/client";
import type { SegmentRecord } from "@muster/protocol";
import type { Cache } from "cache-manager";
import { type ConnectorCache, openCache, protectReservedKeys, SEGMENTS_KEY } from "../cache/connector-cache.js";
import { RequestError } from "../errors/request-error.js";
import { TransientError } from "../errors/transient-error.js";
import { handleExtract } from "../helpers/handle-extract.js";
import { requestExtract } from "../helpers/request-extract.js";
import { createMetric } from "../metrics/metric.js";
import type { Instrumentation } from "../metrics/metric-sink.js";
import { NotificationResponse } from "../notifications/notification-response.js";
import { enqueue } from "../queue/enqueue.js";
import type { QueueAdapter } from "../queue/queue-adapter.js";
import { type ConnectorRecord, readConnectorRecord } from "./connector-record.js";
import type { Context } from "./context.js";
import { type ClientOptions, createClient } from "./create-client.js";
import type { Credentials } from "./credentials.js";
import { signRequestToken } from "./request-token.js";

export interface ContextFactoryOptions extends ClientOptions {
  connectorVersion: string;
  hostSecret: string | undefined;
  cache: Cache;
  queue: QueueAdapter;
  instrumentation: Instrumentation;
}

/** What is known about a request besides its credentials. */
export interface RequestDetails {
  requestId?: string | undefined;
  /** The origin that the request was sent to; used when Muster does not know the connector's address. */
  origin?: string | undefined;
  isBatch?: boolean | undefined;
  /** The records in a signed notification. Without them Muster is asked, and its answer is cached. */
  records?: { connector: unknown; segments: SegmentRecord[]; accountsSegments: SegmentRecord[] } | undefined;
}

interface Segments {
  users: SegmentRecord[];
  accounts: SegmentRecord[];
}

// Short enough for two attempts within the time that Muster waits for our answer.
const PLATFORM_CALL = { timeout: 5_000, retry: 500 };

/** The code of the error when Muster refuses the credentials because the connector is disabled. */
export const CONNECTOR_DISABLED = "connector_disabled";

/** Makes the context of a request. Rejects when Muster does not accept the credentials. */
export class ContextFactory {
  readonly #options: ContextFactoryOptions;

  constructor(options: ContextFactoryOptions) {
    this.#options = options;
  }

  async create(credentials: Credentials, details: RequestDetails = {}): Promise<Context> {
    const { queue, hostSecret } = this.#options;
    const client = this.#openClient(credentials, details.requestId);
    const cache = openCache(this.#options.cache, credentials);
    const connector = details.records
      ? readConnectorRecord(details.records.connector, credentials.id)
      : await loadConnector(client, cache, credentials.id);
    const segments = details.records
      ? { users: details.records.segments, accounts: details.records.accountsSegments }
      : await loadSegments(client, cache);
    const baseUrl = (connector.source_url ?? details.origin ?? "").replace(/\/+$/, "");
    const context: Context = {
      client,
      connector,
      segments: segments.users,
      accountsSegments: segments.accounts,
      cache: protectReservedKeys(cache),
      metric: this.#openMetric(credentials),
      enqueue: (name, payload, options) => enqueue(queue, credentials, name, payload, options),
      helpers: {
        handleExtract,
        requestExtract: (options) => requestExtract(client, baseUrl, options),
        async updateSettings(newSettings) {
          const updated = readConnectorRecord(await client.utils.settings.update(newSettings), credentials.id);
          await cache.set(credentials.id, updated);
          context.connector = updated;
          return updated;
        },
      },
      baseUrl,
      token: hostSecret === undefined ? undefined : signRequestToken(credentials, hostSecret, Date.now()),
      isBatch: details.isBatch ?? false,
      smartNotifierResponse: new NotificationResponse(),
    };
    return context;
  }

  /** Updates the cached connector and drops the cached segments when a notification says that they changed. */
  async refreshCache(credentials: Credentials, channel: string, { connector }: Context): Promise<void> {
    const cache = openCache(this.#options.cache, credentials);
    if (channel === "ship:update") await cache.set(credentials.id, connector);
    if (channel.includes("segment")) await cache.del(SEGMENTS_KEY);
  }

  #openClient(credentials: Credentials, requestId: string | undefined): Client {
    try {
      return createClient(this.#options, credentials, requestId);
    } catch (cause) {
      throw new RequestError(401, "invalid_credentials", "The credentials are not usable.", { cause });
    }
  }

  #openMetric({ id, organization }: Credentials) {
    const { connectorName, connectorVersion, instrumentation } = this.#options;
    return createMetric(instrumentation, {
      connector_name: connectorName,
      connector_version: connectorVersion,
      connector: id,
      organization,
    });
  }
}

function loadConnector(client: Client, cache: ConnectorCache, id: string): Promise<ConnectorRecord> {
  return cache.wrap(id, async () => {
    try {
      return readConnectorRecord(await client.get(`/${id}`, {}, PLATFORM_CALL), id);
    } catch (error) {
      throw describePlatformError(error);
    }
  });
}

function loadSegments(client: Client, cache: ConnectorCache): Promise<Segments> {
  return cache.wrap(SEGMENTS_KEY, async () => {
    try {
      const [users, accounts] = await Promise.all([
        client.get<SegmentRecord[]>("/users_segments", {}, PLATFORM_CALL),
        client.get<SegmentRecord[]>("/accounts_segments", {}, PLATFORM_CALL),
      ]);
      return { users, accounts };
    } catch (error) {
      throw describePlatformError(error);
    }
  });
}

/** Refused credentials are an error of the caller. Any other failure means that Muster is unavailable. */
function describePlatformError(error: unknown): Error {
  const status = error instanceof ClientError ? error.status : undefined;
  if (error instanceof ClientError && error.code === CONNECTOR_DISABLED) {
    return new RequestError(403, CONNECTOR_DISABLED, "The connector is disabled.");
  }
  if (status === 402) return new RequestError(402, "organization_disabled", "The organization is disabled.");
  if (status === 404) return new RequestError(404, "connector_not_found", "The connector does not exist.");
  if (status === 401 || status === 403) {
    return new RequestError(401, "invalid_credentials", "Muster does not accept the credentials.");
  }
  return new TransientError("Muster cannot be asked about the connector.", { cause: error });
}
