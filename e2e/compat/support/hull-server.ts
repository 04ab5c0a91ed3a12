import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createBrand, signToken } from "@muster/protocol";
import { expect, vi } from "vitest";
import { freePort } from "../../../testing/free-port.js";
import { type MusterProcess, startMuster } from "../../support/muster-process.js";
import { prepareDataDir } from "../../support/prepare-data-dir.js";
import { PATIENCE } from "./patience.js";

const ADMIN_TOKEN = "operator of the compatibility test";
const CERTIFICATE = fileURLToPath(new URL("../../../apps/server/src/testing/certificate/", import.meta.url));
/** The certificate of the server. It is its own authority. */
export const CERTIFICATE_FILE = join(CERTIFICATE, "cert.pem");
export const KEY_FILE = join(CERTIFICATE, "key.pem");
const DOMAIN = "hull.test";
const { headers: names, claims } = createBrand("Hull");

/** A connector that is installed, as the answer to its installation names it. */
export interface Installed {
  id: string;
  secret: string;
  /** The host of the organization. */
  organization: string;
  namespace: string;
}

export interface Answer {
  status: number;
  // What the API answers is checked by the expectations of the tests.
  body: never;
}

/** A real server with the brand Hull, https and host names, as existing clients and connectors expect them. */
export class HullServer {
  readonly #port: number;
  readonly #process: MusterProcess;

  private constructor(port: number, process: MusterProcess) {
    this.#port = port;
    this.#process = process;
  }

  static async start(dataDir: string): Promise<HullServer> {
    await prepareDataDir(dataDir);
    const port = await freePort();
    const muster = startMuster({
      dataDir,
      port,
      command: [process.execPath, "apps/server/bundle/main.js"],
      environment: {
        BRAND: "Hull",
        BASE_DOMAIN: DOMAIN,
        PUBLIC_URL: `https://${DOMAIN}:${port}`,
        LOG_LEVEL: "error",
        MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
        TLS_CERT_FILE: CERTIFICATE_FILE,
        TLS_KEY_FILE: KEY_FILE,
      },
    });
    const server = new HullServer(port, muster);
    const look = async () => expect((await server.#request("GET", "/readyz")).status).toBe(200);
    const ended = muster.ended.then((code) => {
      throw new Error(`Muster ended with ${code} before it was ready:\n${muster.output()}`);
    });
    const ready = vi.waitFor(look, { timeout: 60_000, interval: 100 }).catch((error: unknown) => {
      muster.kill("SIGTERM");
      throw error;
    });
    await Promise.race([ready, ended]);
    ended.catch(() => {});
    return server;
  }

  /** A call of the operator to the API, in an organization. */
  operator(namespace: string, method: string, path: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, [names.organization]: namespace };
    return this.#request(method, `/api/v1${path}`, body, headers);
  }

  async createOrganization(namespace: string): Promise<void> {
    const created = await this.operator("default", "POST", "/organizations", { namespace });
    expect([created.status, created.body]).toEqual([201, expect.objectContaining({ namespace })]);
  }

  /** Installs the connector that serves its manifest at an address. */
  async install(namespace: string, url: string): Promise<Installed> {
    const installed = await this.operator(namespace, "POST", "/connectors/install", { url });
    expect([installed.status, installed.body]).toEqual([
      201,
      expect.objectContaining({ organization: `${namespace}.${DOMAIN}:${this.#port}` }),
    ]);
    return { ...(installed.body as Installed), namespace };
  }

  /** Sends attributes of users, all in one batch. The keys are external ids. */
  async sendTraits({ id, secret, namespace }: Installed, users: Record<string, object>): Promise<void> {
    const now = new Date().toISOString();
    const iat = Math.floor(Date.now() / 1_000);
    const batch = Object.entries(users).map(([external_id, body]) => {
      const token = signToken({ iss: id, iat, [claims.subjectType]: "user", [claims.asUser]: { external_id } }, secret);
      return { type: "traits", timestamp: now, headers: { [names.accessToken]: token }, body };
    });
    const headers = { [names.appId]: id, [names.accessToken]: secret, [names.organization]: namespace };
    const answer = await this.#request("POST", "/firehose", { batch, timestamp: now, sentAt: now }, headers);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ accepted: batch.length })]);
  }

  /** Creates a segment of users and returns its id. */
  async createSegment(namespace: string, name: string, query: object): Promise<string> {
    const created = await this.operator(namespace, "POST", "/users_segments", { name, query, predicate: {} });
    expect([created.status, created.body]).toEqual([201, expect.objectContaining({ name })]);
    return (created.body as { id: string }).id;
  }

  /** Imports a file with one record per line, and waits until all of them are searchable but those that are refused. */
  async importFile(
    namespace: string,
    object: "users" | "accounts" | "events",
    records: object[],
    rejected = 0,
  ): Promise<void> {
    const { id, url } = (await this.operator(namespace, "POST", "/uploads")).body as { id: string; url: string };
    const lines = Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"));
    await this.operator(namespace, "PUT", `/uploads/${id}?offset=0`, lines);
    const job = await this.operator(namespace, "POST", `/import/${object}`, { url, format: "json" });
    await vi.waitFor(async () => {
      const { body } = await this.operator(namespace, "GET", `/${(job.body as { id: string }).id}`);
      expect(body).toMatchObject({ status: "completed", progress: { processed: records.length, rejected } });
    }, PATIENCE);
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGTERM");
    await this.#process.ended;
  }

  /** A request that trusts the certificate of the test alone. */
  #request(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const ca = readFileSync(CERTIFICATE_FILE);
    const isFile = Buffer.isBuffer(body);
    const type: Record<string, string> = body
      ? { "content-type": isFile ? "application/octet-stream" : "application/json" }
      : {};
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: "127.0.0.1", port: this.#port, path, method, ca, headers: { ...headers, ...type } },
        (answer) => {
          json(answer).then((content) => resolve({ status: answer.statusCode ?? 0, body: content as never }), reject);
        },
      );
      outgoing.on("error", reject);
      outgoing.end(isFile || !body ? body : JSON.stringify(body));
    });
  }
}
