import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import type { Connector } from "../connector.js";

export interface RunningConnector {
  /** The address at which it listens. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a connector on the port it was made with; give it `port: 0` for a free one.
 *
 * @example
 * const running = await runConnector(new Connector({ manifest, handlers, port: 0, organizations: [platform.url] }));
 */
export async function runConnector(
  connector: Connector,
  addRoutes: (app: Express) => void = () => {},
): Promise<RunningConnector> {
  const app = express();
  connector.setupApp(app);
  addRoutes(app);
  const server = connector.startApp(app);
  if (!server.listening) await once(server, "listening");
  // `address()` is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await connector.close();
    },
  };
}
