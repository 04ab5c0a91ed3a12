import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebServer {
  url: string;
  close(): Promise<void>;
}

/** Starts a web server on a free port of this machine. */
export async function startWebServer(listener: RequestListener): Promise<WebServer> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // `address()` is a string only for pipes.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
