import type { ClientConfig } from "@muster/client";
import type { Manifest } from "@muster/protocol/manifest";
import type { Cache } from "cache-manager";
import type { ConnectorHandlers } from "./handlers/connector-handlers.js";
import type { Instrumentation } from "./metrics/metric-sink.js";
import type { QueueAdapter } from "./queue/queue-adapter.js";

export interface ConnectorOptions {
  /** The manifest, or the path of its file. Default: `manifest.json`. */
  manifest?: Manifest | string;
  /** The folder with `views`, `dist`, `assets` and the readme. Default: the manifest's, or the current one. */
  directory?: string;
  /** The functions that the manifest names. */
  handlers?: ConnectorHandlers;
  /** Secret to sign the request token; needed for pages that call back, and to authorize with third parties. */
  hostSecret?: string;
  /**
   * The hosts of the organizations that the connector serves: `acme.example.com`, `*.example.com`, or `localhost:8080` for a
   * Muster on this machine. Calls that name any other organization are refused. Default: the variable `ORGANIZATIONS`,
   * separated by commas. Without it nobody is served.
   */
  organizations?: readonly string[];
  /**
   * The address of the one Muster that the connector serves, such as `http://127.0.0.1:8080`, for a connector that a server
   * runs itself. Every organization of that Muster is served, and everything is asked there, whatever host a call names.
   * It takes the place of `organizations`.
   */
  platformUrl?: string;
  /** The address at which browsers and other services reach the connector. Default: the one at which it is installed. */
  publicUrl?: string;
  /**
   * The addresses at which organizations have installed the connector, such as `https://crm.example.com`. Calls with the
   * credentials of a connector at any other address are refused. Default: the variable `CONNECTOR_URLS`, separated by
   * commas. Without it, calls with the credentials of a connector whose manifest has another name are refused.
   */
  urls?: readonly string[];
  /** Origins of pages, besides the connector's own, that may call its JSON endpoints. Default: none. */
  allowedOrigins?: readonly string[];
  /** Address to listen on. Default: the variable `HOST`, or else `127.0.0.1`, which only this machine can reach. */
  host?: string;
  /** Port to listen on. Default 8082. */
  port?: number | string;
  /** Added to the configuration of every client. */
  clientConfig?: Partial<ClientConfig>;
  /** Where metrics are sent, besides the two that Muster shows. Default: nowhere. */
  instrumentation?: Instrumentation;
  /**
   * A cache made by `createCache` of cache-manager. False: nothing is cached, and each call asks Muster for the connector and
   * the segments. Default: in memory, for a minute.
   */
  cache?: Cache | false;
  /** Default: in memory, which is deprecated. */
  queue?: QueueAdapter;
  /** The connector's name in logs and metrics. Default from the manifest. */
  connectorName?: string;
  /** Accept notifications without checking their signature; for testing only. Default false. */
  skipSignatureValidation?: boolean;
  /** Longest time a request may take: milliseconds, or text such as `25s`. Default 25 s. */
  timeout?: number | string;
  /** Name of the private setting that lists user segments; it decides `matchesFilter` of every notification. */
  segmentFilterSetting?: string;
  /** Send error logs to Muster as well, which shows them beside the connector. Default false. */
  sendErrorLogs?: boolean;
}
