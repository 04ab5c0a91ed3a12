import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What a connector is told about a user: who, and which segments changed. */
export interface ToldMove {
  user: string;
  entered: string[];
  left: string[];
}

const MANIFEST = {
  name: "Listener",
  version: "1.0.0",
  tags: ["smart-notifier"],
  settings_sections: [],
  subscriptions: [{ url: "/notify", conditions: { channels: { only: ["user:update"] } } }],
};

interface Message {
  user: { external_id: string };
  changes: { segments?: { entered?: { name: string }[]; left?: { name: string }[] } };
}

/** A connector's app that notes which segments it was told that users entered and left. */
export class NotifiedApp {
  readonly moves: ToldMove[] = [];
  messages = 0;
  readonly #server: Server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.url === "/manifest.json") {
      response.end(JSON.stringify(MANIFEST));
      return;
    }
    const { messages = [] } = JSON.parse(text || "{}") as { messages?: Message[] };
    for (const message of messages) this.#note(message);
    response.setHeader("content-type", "application/json").end('{"flow_control":{"type":"next"}}');
  });

  static async open(): Promise<NotifiedApp> {
    const app = new NotifiedApp();
    app.#server.listen(0, "127.0.0.1");
    await once(app.#server, "listening");
    return app;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #note({ user, changes }: Message): void {
    this.messages += 1;
    const names = (moved: { name: string }[] = []) => moved.map(({ name }) => name).sort();
    const entered = names(changes.segments?.entered);
    const left = names(changes.segments?.left);
    if (entered.length + left.length > 0) this.moves.push({ user: user.external_id, entered, left });
  }
}
