import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { Failure } from "../failure.js";

export interface LocalServer {
  port: number;
  close(): Promise<void>;
}

/** Serves on a port of this machine, which only this machine can reach. */
export async function startLocalServer(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LocalServer> {
  const server = createServer(answer).listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    throw new Failure("refused", `Port ${port} of this machine is in use, and the demo needs it.`, error);
  }
  return {
    port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The wanted port when it is free, or else another one that is not in `taken`. */
export async function freePort(wanted = 0, taken: ReadonlySet<number> = new Set()): Promise<number> {
  const server = createTcpServer().listen(wanted, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (wanted === 0) throw error;
    return freePort(0, taken);
  }
  // `address()` is a string only for pipes.
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return taken.has(port) ? freePort(0, taken) : port;
}
