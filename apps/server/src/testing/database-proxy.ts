import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface DatabaseProxy {
  /** The address of the database behind the proxy. */
  url: string;
  /** Ends all connections and refuses new ones, as a server that is stopped. */
  stop(): Promise<void>;
  /** Passes nothing on and ends nothing, as a network that drops packets. */
  freeze(): void;
  /** Passes new connections on again. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** A database that can go away and return: a proxy before the one at `url`, which is reached by a unix socket. */
export async function openDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const path = `${target.searchParams.get("host")}/.s.PGSQL.5432`;
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = connect(path);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (!isFrozen) to.write(chunk);
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  target.searchParams.delete("host");
  target.host = `127.0.0.1:${port}`;
  return {
    url: target.href,
    stop,
    freeze() {
      isFrozen = true;
    },
    async resume() {
      isFrozen = false;
      if (server.listening) return;
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    close: stop,
  };
}
