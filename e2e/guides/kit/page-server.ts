import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createBrand } from "@muster/protocol";
import { openTestServer, type TestServer } from "../../../apps/server/src/testing/test-server.js";
import { callApi, connectorHeaders } from "../../support/call-api.js";
import type { Credentials } from "../../support/credentials.js";

const ORGANIZATION = createBrand().headers.organization.toLowerCase();
/** Hosts that name no organization. */
const THIS_MACHINE = /^(localhost|127\.0\.0\.1):/;

/** A server as the reader of a page has it: its address leads to an organization without data. */
export interface PageServer {
  url: string;
  dataDir: string;
  /** Headers of the first connector with its secret. */
  connectorHeaders: Record<string, string>;
  close(): Promise<void>;
}

/** A server for one page alone. */
export async function openPageServer(dataDir: string, settings: Record<string, string>): Promise<TestServer> {
  // Without a token in its environment, the server writes one to its data directory, as it does for its readers.
  const server = await openTestServer({ ...settings, DATA_DIR: dataDir, MUSTER_ADMIN_TOKEN: "" });
  await server.listen();
  return server;
}

/** One server for many pages. Each page has an organization, and a port of its own that leads to the organization. */
export class SharedServer {
  readonly #dataDir: string;
  #opened: Promise<TestServer> | undefined;
  #pages = 0;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  async openPage(): Promise<PageServer> {
    this.#opened ??= openPageServer(this.#dataDir, {});
    const { app, url } = await this.#opened;
    const namespace = `page-${++this.#pages}`;
    const token = await readFile(join(this.#dataDir, "admin.token"), "utf8");
    const headers = { authorization: `Bearer ${token.trim()}` };
    await callApi(url, { method: "POST", path: "/organizations", headers, body: { namespace, name: "Default" } });
    const credentials = await callApi<Credentials>(url, {
      method: "POST",
      path: "/connectors",
      headers: { ...headers, [ORGANIZATION]: namespace },
      body: { name: "API" },
    });

    // What other servers take as a request to the default organization goes to the organization of the page.
    const front = createServer((request, response) => {
      const named = String(request.headers[ORGANIZATION] ?? request.headers.host);
      if (THIS_MACHINE.test(named)) request.headers[ORGANIZATION] = namespace;
      app.routing(request, response);
    }).listen(0, "127.0.0.1");
    await once(front, "listening");
    return {
      // `address()` is a string only for pipes.
      url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
      dataDir: this.#dataDir,
      connectorHeaders: connectorHeaders(credentials),
      async close() {
        front.closeAllConnections();
        front.close();
        await once(front, "close");
      },
    };
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close();
  }
}
