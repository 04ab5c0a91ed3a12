import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { type BatchAnswer, type BatchEntry, peekToken, type TokenPayload } from "@muster/protocol";
import type { ClientConfig } from "../configuration.js";

/** A request as it arrived over HTTP. */
export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  wireBytes: number;
  /** The body, decompressed. */
  text: string;
  atMs: number;
}

/** Answers one request, or fails to. */
export type Behaviour = (request: ReceivedRequest, response: ServerResponse) => void;

/** An HTTP server that answers batches as Muster's gateway does, and can be told to fail. */
export interface FakeGateway {
  /** Host and port, as a client's `organization`. */
  readonly host: string;
  readonly requests: ReceivedRequest[];
  /** A client configuration with the address of this server. */
  config(more?: Partial<ClientConfig>): ClientConfig;
  /** How the next requests are answered, one behaviour for each; batches after them are accepted. */
  willDo(...behaviours: Behaviour[]): void;
  /** Every entry received so far, in the order of arrival. */
  entries(): BatchEntry[];
  close(): Promise<void>;
}

export const CONNECTOR_ID = "0198c2a4f1d002a1b2c3d4e5";
export const SECRET = "a-secret-nobody-else-knows";

export async function startFakeGateway(): Promise<FakeGateway> {
  const requests: ReceivedRequest[] = [];
  const script: Behaviour[] = [];
  const acceptBatch = createBatchDoor();
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const raw = Buffer.concat(chunks);
      const plain = incoming.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers, wireBytes: raw.length, text: plain.toString("utf8"), atMs: Date.now() };
      requests.push(request);
      (script.shift() ?? acceptBatch)(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // `address()` is a string only for pipes.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    requests,
    config: (more = {}) => ({
      id: CONNECTOR_ID,
      secret: SECRET,
      organization: host,
      protocol: "http",
      onLog: () => {},
      ...more,
    }),
    willDo: (...behaviours) => void script.push(...behaviours),
    entries: () => requests.flatMap((request) => entriesOf(request)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function entriesOf(request: ReceivedRequest): BatchEntry[] {
  return (JSON.parse(request.text) as { batch: BatchEntry[] }).batch;
}

export function answerJson(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (_request, response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
  };
}

export function refuse(status: number, code: string, headers: Record<string, string> = {}): Behaviour {
  return answerJson(status, { error: { code, message: `Refused: ${code}.`, details: [] }, status }, headers);
}

/** Cuts the connection without an answer. */
export const reset: Behaviour = (_request, response) => response.destroy();

/** Never answers. */
export const hang: Behaviour = () => {};

/** The claims of an entry's token, unverified. */
export function claimsIn(entry: BatchEntry | undefined, header = "Svc-Access-Token"): TokenPayload {
  return peekToken(entry?.headers[header] ?? "") ?? {};
}

/** Accepts every entry. A repeated batch gets the first answer again, as a duplicate. */
export function createBatchDoor(): Behaviour {
  const answers = new Map<string, BatchAnswer>();
  return (request, response) => {
    const entries = entriesOf(request);
    const digest = createHash("sha256").update(JSON.stringify(entries)).digest("hex");
    const first = answers.get(digest);
    const fresh = { position: `p${answers.size + 1}`, accepted: entries.length, rejected: [], duplicate: false };
    if (!first) answers.set(digest, fresh);
    answerJson(200, first ? { ...first, duplicate: true } : fresh)(request, response);
  };
}
