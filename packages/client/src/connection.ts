import { type Brand, createBrand } from "@muster/protocol";
import { type ClientConfig, type Configuration, readConfiguration } from "./configuration.js";
import type { Destination } from "./gateway/destination.js";
import { openLogSink } from "./log-sink.js";
import { createLogger, type LogContext, type Logger, type LogSink } from "./logger.js";
import { logContextOf, type Subject } from "./subject.js";
import { TokenMint } from "./token-mint.js";

/** What a client shares with the scoped clients made from it. */
export interface Connection {
  readonly configuration: Configuration;
  readonly brand: Brand;
  readonly mint: TokenMint;
  readonly logSink: LogSink;
  /** Where batch entries go. */
  readonly gateway: Destination;
}

export function openConnection(config: ClientConfig): Connection {
  const configuration = readConfiguration(config);
  const { id, secret, organization, firehoseUrl, batching } = configuration;
  const brand = createBrand(configuration.brand);
  const logSink = openLogSink(configuration);
  return {
    configuration,
    brand,
    mint: new TokenMint(brand, id, secret),
    logSink,
    gateway: {
      key: JSON.stringify([organization, id, secret, firehoseUrl, brand.word, batching]),
      url: new URL(firehoseUrl),
      headers: credentialHeaders(brand, configuration, secret),
      batching,
      logger: createLogger(logSink, logContext(configuration)),
    },
  };
}

/** The headers that identify the caller. */
export function credentialHeaders(brand: Brand, configuration: Configuration, token: string): Record<string, string> {
  const { appId, accessToken, organization } = brand.headers;
  return {
    "User-Agent": `muster-client/${configuration.version}`,
    [appId]: configuration.id,
    [accessToken]: token,
    [organization]: configuration.organization,
  };
}

export function openLogger(connection: Connection, subject?: Subject): Logger {
  return createLogger(connection.logSink, logContext(connection.configuration, subject));
}

export function logContext(configuration: Configuration, subject?: Subject): LogContext {
  const { organization, id, connectorName, requestId } = configuration;
  return {
    organization,
    id,
    ...(connectorName ? { connector_name: connectorName } : {}),
    ...(requestId ? { request_id: requestId } : {}),
    ...(subject ? logContextOf(subject) : {}),
  };
}
