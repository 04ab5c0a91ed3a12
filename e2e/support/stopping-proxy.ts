import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Passes connections on to a server, and stops passing answers after so many bytes. */
export class StoppingProxy {
  readonly #server;
  readonly #sockets = new Set<Socket>();
  /** Resolves when the bytes have passed. */
  readonly reached: Promise<void>;

  private constructor(target: string, afterBytes: number) {
    let tellReached = () => {};
    this.reached = new Promise((resolve) => {
      tellReached = resolve;
    });
    let passed = 0;
    const { hostname, port } = new URL(target);
    this.#server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on("error", () => {});
      }
      client.pipe(upstream);
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
      upstream.on("data", (chunk: Buffer) => {
        client.write(chunk);
        passed += chunk.length;
        if (passed < afterBytes) return;
        upstream.pause();
        tellReached();
      });
    });
  }

  static async open(target: string, afterBytes: number): Promise<StoppingProxy> {
    const proxy = new StoppingProxy(target, afterBytes);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
