import { Client, type ClientConfig, type LogEntry } from "@muster/client";
import { writeLogLine } from "@muster/protocol";
import type { LogShipping } from "../logging/log-shipping.js";
import type { Credentials } from "../trust/credentials.js";
import { isLoopback } from "../trust/loopback.js";

export interface ClientOptions {
  clientConfig: Partial<ClientConfig>;
  connectorName: string;
  /** Sends error logs to Muster too; undefined when that is switched off. */
  logShipping: LogShipping | undefined;
}

export function createClient(
  { clientConfig, connectorName, logShipping }: ClientOptions,
  credentials: Credentials,
  requestId: string | undefined,
): Client {
  const write = clientConfig.onLog ?? writeLogLine;
  const client: Client = new Client({
    // An organization on this machine is a development server, which has no certificate.
    protocol: isLoopback(credentials.organization) ? "http" : "https",
    connectorName,
    ...clientConfig,
    ...credentials,
    requestId,
    onLog(entry: LogEntry) {
      write(entry);
      logShipping?.ship(client, entry);
    },
  });
  return client;
}
