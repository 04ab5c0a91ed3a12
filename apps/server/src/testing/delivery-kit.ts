import { ConnectorApp, type Respond } from "./connector-app.js";
import { Sender } from "./sender.js";
import { openTestServer, type TestServer } from "./test-server.js";

/** A server that calls connectors, a client that sends to it, and the connectors that tests install. */
export class DeliveryKit {
  readonly muster: TestServer;
  readonly sender: Sender;
  readonly #installed: { app: ConnectorApp; id: string }[] = [];

  private constructor(muster: TestServer) {
    this.muster = muster;
    this.sender = new Sender(muster);
  }

  /** Opens the server and listens. A failed call is repeated after 20 ms; `environment` overrides settings. */
  static async open(environment: Record<string, string> = {}): Promise<DeliveryKit> {
    const muster = await openTestServer({ DELIVERY_RETRY_MS: "20", ...environment });
    await muster.listen();
    return new DeliveryKit(muster);
  }

  /** Calls the API as the operator. */
  operator(method: "GET" | "POST" | "PUT" | "DELETE", path: string, payload?: object) {
    const headers = this.muster.operatorHeaders;
    return this.muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
  }

  /** Starts the app of a connector and installs it. */
  async install(manifest: object, respond?: Respond) {
    const app = await ConnectorApp.open(manifest, respond);
    const credentials = await app.install(this.muster);
    this.#installed.push({ app, id: credentials.id });
    return { app, ...credentials };
  }

  /** Removes the connectors that were installed, so that messages of the next test do not go to them. */
  async removeConnectors(): Promise<void> {
    for (const { app, id } of this.#installed.splice(0)) {
      await this.operator("DELETE", `/${id}`);
      await app.close();
    }
  }

  /** Closes the server. The apps keep running: another server on the same database may call them. */
  async close(): Promise<void> {
    await this.muster.close();
  }
}
