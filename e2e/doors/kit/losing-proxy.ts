import { request } from "node:http";
import { startWebServer, type WebServer } from "../../../testing/start-web-server.js";

/** Passes requests on to a server, and loses every second answer at first: the sender does not learn that the server has the calls. */
export class LosingProxy {
  lost = 0;
  isLosing = true;
  #web: WebServer | undefined;
  #answers = 0;

  static async open(target: string): Promise<LosingProxy> {
    const proxy = new LosingProxy();
    proxy.#web = await startWebServer((incoming, outgoing) => {
      const fail = () => incoming.socket.destroy();
      const { method = "GET", url = "/", headers } = incoming;
      const upstream = request(new URL(url, target), { method, headers }, (answer) => {
        if (proxy.isLosing && ++proxy.#answers % 2 === 0) {
          proxy.lost++;
          answer.resume();
          answer.on("end", fail);
        } else {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.on("error", fail);
          answer.pipe(outgoing);
        }
      });
      upstream.on("error", fail);
      incoming.pipe(upstream);
    });
    return proxy;
  }

  get url(): string {
    return this.#web?.url ?? "";
  }

  async close(): Promise<void> {
    await this.#web?.close();
  }
}
