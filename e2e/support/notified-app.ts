import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { startWebServer, type WebServer } from "../../testing/start-web-server.js";

/** The segments that a user entered and left, as a connector was notified. */
export interface SegmentMove {
  user: string;
  entered: string[];
  left: string[];
}

const MANIFEST = {
  version: "1.0.0",
  tags: ["smart-notifier"],
  settings_sections: [],
  subscriptions: [{ url: "/notify", conditions: { channels: { only: ["user:update"] } } }],
};

interface Message {
  user: { external_id: string };
  changes: { segments?: { entered?: { name: string }[]; left?: { name: string }[] } };
}

/** A connector that notes which segments users entered and left, as it is notified. */
export class NotifiedApp {
  readonly moves: SegmentMove[] = [];
  readonly #name: string;
  #server: WebServer | undefined;

  private constructor(name: string) {
    this.#name = name;
  }

  static async open(name = "Listener"): Promise<NotifiedApp> {
    const app = new NotifiedApp(name);
    app.#server = await startWebServer((request, response) => void app.#receive(request, response));
    return app;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/manifest.json") {
      response.end(JSON.stringify({ ...MANIFEST, name: this.#name }));
      return;
    }
    const { messages = [] } = (await json(request)) as { messages?: Message[] };
    for (const message of messages) this.#note(message);
    response.setHeader("content-type", "application/json").end('{"flow_control":{"type":"next"}}');
  }

  #note({ user, changes }: Message): void {
    const names = (moved: { name: string }[] = []) => moved.map(({ name }) => name).sort();
    const entered = names(changes.segments?.entered);
    const left = names(changes.segments?.left);
    if (entered.length + left.length > 0) this.moves.push({ user: user.external_id, entered, left });
  }
}
