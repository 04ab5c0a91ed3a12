import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createBrand, isObject, type SegmentRecord } from "@muster/protocol";
import { defaultSettings, readManifest } from "@muster/protocol/manifest";
import { type ConnectorRecord, readConnectorRecord } from "../connector-record.js";
import type { Credentials } from "../trust/credentials.js";
import { type CallOptions, type ConnectorAnswer, callConnector, type Notice } from "./call-connector.js";
import { sharedPlatformKey } from "./platform-key.js";
import { type ReceivedCall, type ReceivedEntry, readBody, readEntries } from "./platform-requests.js";

export interface FakePlatformOptions {
  /** Settings and other fields of the connector's record. */
  connector?: Partial<ConnectorRecord>;
  segments?: SegmentRecord[];
  accountsSegments?: SegmentRecord[];
  /** The brand word in header and claim names. Default `Svc`. */
  brand?: string;
}

/** A platform for tests: an HTTP server with the endpoints of Muster that a connector needs. */
export interface FakePlatform {
  readonly url: string;
  /** The credentials of the one connector it knows. */
  readonly credentials: Credentials;
  /** The stored connector; `PUT` calls change it, and a test may change it too. */
  readonly connector: ConnectorRecord;
  /** Every call of the REST API, in the order of arrival. */
  readonly calls: ReceivedCall[];
  /** Every entry that clients sent to the gateway, in the order of arrival. */
  readonly entries: ReceivedEntry[];
  /** Every request, such as `GET /api/v1/app`, also those that were refused. */
  readonly requests: string[];
  /** Log entries that the connector sent. */
  readonly logs: Record<string, unknown>[];
  /** Sets the answer to a call: `willAnswer("POST /search/user_reports", { data: [] })`. */
  willAnswer(call: string, body: unknown, status?: number): void;
  /**
   * Installs the connector at an address: its settings get the defaults of its manifest. Settings that have a value keep
   * it.
   */
  install(url: string): Promise<void>;
  /** Sends a signed notification with the current settings and segments. */
  notify(address: string, notice: Notice): Promise<ConnectorAnswer>;
  /** Sends a single notification, as to connectors without the tag `smart-notifier`. */
  notifyPlainly(address: string, channel: string, message: object): Promise<ConnectorAnswer>;
  /** Calls an endpoint with the credentials in the query, as pages, schedules and status checks are. */
  call(address: string, options?: CallOptions): Promise<ConnectorAnswer>;
  /** The headers of a signature for a body. The claims given replace those of a good signature. */
  sign(body: string, claims?: Readonly<Record<string, unknown>>): Record<string, string>;
  /** Serves a text, such as the file of an extract, and returns its address. */
  serve(text: string): string;
  close(): Promise<void>;
}

const CONNECTOR_ID = "0198c2a4f1d002a1b2c3d4e5";
const SECRET = "a-secret-nobody-else-knows";
const KEY_PATH = "/public-key";
const PREFIX = "/api/v1";

/**
 * @example
 * const platform = await startFakePlatform({ connector: { private_settings: { api_key: "k" } } });
 * const answer = await platform.notify(`${running.url}/smart-notifier`, { channel: "user:update", messages: [userMessage()] });
 * expect(platform.entries).toEqual([…]);
 */
export async function startFakePlatform(options: FakePlatformOptions = {}): Promise<FakePlatform> {
  const brand = createBrand(options.brand);
  const key = sharedPlatformKey();
  const { segments = [], accountsSegments = [] } = options;
  const connector = readConnectorRecord({ ...options.connector, secret: SECRET }, CONNECTOR_ID);
  const calls: ReceivedCall[] = [];
  const entries: ReceivedEntry[] = [];
  const logs: Record<string, unknown>[] = [];
  const requests: string[] = [];
  const answers = new Map<string, { status: number; body: unknown }>();
  const files = new Map<string, string>();

  const answerCall = (call: ReceivedCall): { status: number; body: unknown } => {
    const name = `${call.method} ${call.path}`;
    const prepared = answers.get(name);
    if (prepared) return prepared;
    switch (name) {
      case `GET /${CONNECTOR_ID}`:
      case "GET /app":
        return { status: 200, body: connector };
      case `PUT /${CONNECTOR_ID}`:
      case "PUT /app":
        for (const group of ["settings", "private_settings"] as const) {
          if (isObject(call.body)) Object.assign(connector[group], call.body[group]);
        }
        return { status: 200, body: connector };
      case "GET /users_segments":
        return { status: 200, body: segments };
      case "GET /accounts_segments":
        return { status: 200, body: accountsSegments };
      case "POST /app/logs":
        if (isObject(call.body) && Array.isArray(call.body.logs)) logs.push(...call.body.logs);
        return { status: 201, body: {} };
      case "POST /app/metrics":
        return { status: 200, body: { counted: 1 } };
      case "POST /app/delivery/results":
        return { status: 200, body: { settled: 1, ignored: [] } };
      case "POST /extract/users":
      case "POST /extract/accounts":
        return { status: 201, body: { id: "0198c2a4f1d040a1b2c3d4e5", status: "scheduled" } };
      default:
        return { status: 404, body: { error: { code: "not_found", message: `${name} is not known.`, details: [] } } };
    }
  };

  const server = createServer((incoming, response) => void answer(incoming, response));
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", headers } = incoming;
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://platform");
    requests.push(`${method} ${pathname}`);
    const body = await readBody(incoming);
    const file = pathname === KEY_PATH ? key.publicPem : files.get(pathname);
    if (file !== undefined) {
      response.writeHead(200, { "content-type": "text/plain" }).end(file);
    } else if (headers[brand.headers.appId.toLowerCase()] !== CONNECTOR_ID) {
      answerJson(response, 401, {
        error: { code: "unauthorized", message: "The credentials are missing.", details: [] },
      });
    } else if (method === "POST" && (pathname === "/" || pathname === "/firehose")) {
      const received = readEntries(brand, body);
      entries.push(...received);
      const position = `p${entries.length}`;
      answerJson(response, 200, { position, accepted: received.length, rejected: [], duplicate: false });
    } else if (headers[brand.headers.accessToken.toLowerCase()] !== SECRET) {
      answerJson(response, 401, { error: { code: "unauthorized", message: "The secret is wrong.", details: [] } });
    } else {
      const path = pathname.slice(PREFIX.length);
      const call = { method, path, query: Object.fromEntries(searchParams), body };
      calls.push(call);
      const answered = answerCall(call);
      answerJson(response, answered.status, answered.body);
    }
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // `address()` is a string only for pipes.
  const organization = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${organization}`;
  const credentials = { id: CONNECTOR_ID, organization, secret: SECRET };
  const inQuery = { ...credentials, ship: CONNECTOR_ID };
  const sign = (body: string, claims: Readonly<Record<string, unknown>> = {}) =>
    key.headersFor(brand, url + KEY_PATH, body, claims);

  return {
    url,
    credentials,
    connector,
    calls,
    entries,
    requests,
    logs,
    willAnswer: (call, body, status = 200) => void answers.set(call, { status, body }),
    async install(address) {
      const manifest = readManifest((await callConnector(`${address}/manifest.json`)).body);
      connector.source_url = address;
      for (const group of ["settings", "private_settings"] as const) {
        connector[group] = { ...defaultSettings(manifest[group]), ...connector[group] };
      }
    },
    notify(address, { channel, messages, isExport = false, someSegments }) {
      const id = randomUUID();
      const body = JSON.stringify({
        notification_id: id,
        channel,
        is_export: isExport,
        configuration: credentials,
        connector,
        segments: someSegments ?? segments,
        accounts_segments: someSegments ? [] : accountsSegments,
        ...(someSegments ? { partial_segments: true } : {}),
        messages,
      });
      return callConnector(address, { body, headers: sign(body) });
    },
    sign,
    notifyPlainly(address, channel, message) {
      const subject = channel === "user:update" ? "user_report:update" : channel;
      return callConnector(address, {
        query: inQuery,
        headers: { "x-amz-sns-message-type": "Notification" },
        body: { Type: "Notification", Subject: subject, Message: JSON.stringify(message) },
      });
    },
    call: (address, given = {}) => callConnector(address, { ...given, query: { ...inQuery, ...given.query } }),
    serve(text) {
      const path = `/files/${files.size + 1}`;
      files.set(path, text);
      return url + path;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
