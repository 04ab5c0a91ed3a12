import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Notification, UserUpdateMessage } from "@muster/protocol";
import { expect, vi } from "vitest";
import type { TestServer } from "./test-server.js";

/** A call that a connector app received. */
export interface ReceivedCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON. */
  body: Record<string, unknown>;
  at: number;
}

/** How an app answers a call: it returns JSON, or returns nothing and writes the response itself. */
export type Respond = (call: ReceivedCall, response: ServerResponse) => unknown;

export const NEXT = { flow_control: { type: "next" } };

/** The app of a connector: a real HTTP server that serves a manifest, notes every call and answers with `respond`. */
export class ConnectorApp {
  readonly calls: ReceivedCall[] = [];
  readonly #server = createServer((request, response) => this.#receive(request, response));
  #manifest: object;
  respond: Respond;

  private constructor(manifest: object, respond: Respond) {
    this.#manifest = manifest;
    this.respond = respond;
  }

  static async open(manifest: object, respond: Respond = () => NEXT): Promise<ConnectorApp> {
    const app = new ConnectorApp(manifest, respond);
    app.#server.listen(0, "127.0.0.1");
    await once(app.#server, "listening");
    return app;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  set manifest(manifest: object) {
    this.#manifest = manifest;
  }

  /** Installs the app and returns the credentials. */
  async install(server: TestServer): Promise<{ id: string; secret: string; organization: string }> {
    const answer = await server.app.inject({
      method: "POST",
      url: "/api/v1/connectors/install",
      headers: server.operatorHeaders,
      payload: { url: this.url },
    });
    expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
    return answer.json();
  }

  /** The notifications received so far. */
  get notifications(): (Notification & { headers: IncomingHttpHeaders; text: string; at: number })[] {
    return this.calls
      .filter(({ body }) => typeof body.notification_id === "string")
      .map(({ body, headers, text, at }) => ({ ...(body as unknown as Notification), headers, text, at }));
  }

  /** All messages about users, in the order of their arrival. */
  get userMessages(): UserUpdateMessage[] {
    return this.notifications
      .filter(({ channel }) => channel === "user:update")
      .flatMap(({ messages }) => messages as UserUpdateMessage[]);
  }

  /** Waits until the condition is true. */
  async until(condition: (app: ConnectorApp) => boolean, timeout = 60_000): Promise<void> {
    await vi.waitFor(() => expect(condition(this)).toBe(true), { timeout, interval: 10 });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #receive(
    request: AsyncIterable<Buffer> & { method?: string; url?: string; headers: IncomingHttpHeaders },
    response: ServerResponse,
  ) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://app");
    if (pathname === "/manifest.json") {
      response.end(JSON.stringify(this.#manifest));
      return;
    }
    const body = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
    const { method = "GET", headers } = request;
    const call = { method, path: pathname, query: searchParams, headers, text, body, at: Date.now() };
    this.calls.push(call);
    const answer = await this.respond(call, response);
    if (answer !== undefined) response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  }
}

/** A manifest with the required parts and a subscription with flow control. */
export function smartManifest(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: "Smart",
    version: "1.0.0",
    tags: ["smart-notifier"],
    settings_sections: [],
    subscriptions: [{ url: "/smart-notifier" }],
    ...parts,
  };
}
