import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBrand, signToken } from "@muster/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../testing/free-port.js";
import { type MusterProcess, startMuster } from "../support/muster-process.js";

const LIBRARY = "hull@0.14.2";
const ADMIN_TOKEN = "operator of the compatibility test";
const APP = fileURLToPath(new URL("./hull-connector/", import.meta.url));
const CERTIFICATE = fileURLToPath(new URL("../../apps/server/src/testing/certificate/", import.meta.url));
const brand = createBrand("Hull");

/** What the connector reports of a notification that it accepted. */
interface Accepted {
  at: number;
  users: {
    user: Record<string, unknown>;
    changes: { user: Record<string, [unknown, unknown]> };
    matchesFilter: boolean;
  }[];
  settings: Record<string, unknown>;
  segments: unknown[];
  ship: string;
}

let folder: string;
let muster: MusterProcess;
let port: number;
let connector: ChildProcess;
let connectorUrl: string;
let output = "";
const accepted: Accepted[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-compat-"));
  await cp(APP, folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{"private":true}');
  const install = ["install", LIBRARY, "--no-audit", "--no-fund", "--ignore-scripts"];
  await promisify(execFile)("npm", install, { cwd: folder });

  port = await freePort();
  muster = startMuster({
    dataDir: join(folder, "data"),
    port,
    command: [process.execPath, "apps/server/dist/main.js"],
    environment: {
      BRAND: "Hull",
      LOG_LEVEL: "error",
      MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
      TLS_CERT_FILE: join(CERTIFICATE, "cert.pem"),
      TLS_KEY_FILE: join(CERTIFICATE, "key.pem"),
    },
  });
  await vi.waitFor(async () => expect((await call("GET", "/readyz")).status).toBe(200), {
    timeout: 60_000,
    interval: 100,
  });

  const connectorPort = await freePort();
  connectorUrl = `http://127.0.0.1:${connectorPort}`;
  connector = fork(join(folder, "app.cjs"), {
    cwd: folder,
    silent: true,
    // The library speaks https to Muster, as it always did.
    env: { ...process.env, PORT: String(connectorPort), NODE_EXTRA_CA_CERTS: join(CERTIFICATE, "cert.pem") },
  });
  for (const stream of [connector.stdout, connector.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  await once(connector, "message");
  connector.on("message", (message) => accepted.push(message as Accepted));
}, 300_000);

afterAll(async () => {
  connector?.kill();
  muster?.kill("SIGTERM");
  await muster?.ended;
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 60_000);

test("a connector written with the published library accepts notifications, and Muster obeys its flow control", async () => {
  const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const installed = await call("POST", "/api/v1/connectors/install", { url: connectorUrl }, operator);
  expect([installed.status, installed.body]).toEqual([201, expect.objectContaining({ name: "Published library" })]);
  const credentials = installed.body as { id: string; secret: string };

  const users = ["ann", "bob", "cyd", "dan", "eve"];
  await sendTraits(credentials, ["first"]);
  await vi.waitFor(() => expect(accepted, output).toHaveLength(1), { timeout: 20_000, interval: 50 });
  await sendTraits(credentials, users);
  await vi.waitFor(() => expect(accepted.flatMap((each) => each.users)).toHaveLength(6), {
    timeout: 20_000,
    interval: 50,
  });

  expect(accepted[0]).toMatchObject({
    users: [
      {
        user: { external_id: "first", traits_plan: "pro" },
        changes: { user: { traits_plan: [null, "pro"] } },
        matchesFilter: true,
      },
    ],
    settings: { token: "from the manifest" },
    segments: [],
    // Its own call to Muster, with the credentials that came with the notification.
    ship: credentials.id,
  });
  expect(accepted.slice(1).map((each) => each.users.length)).toEqual([2, 2, 1]);
  // A lower bound, which no load on the machine can break: the connector asks for half a second between calls.
  for (const [index, { at }] of accepted.slice(1).entries())
    expect(at - accepted[index]!.at).toBeGreaterThanOrEqual(490);
}, 60_000);

async function sendTraits(credentials: { id: string; secret: string }, names: string[]): Promise<void> {
  const now = new Date().toISOString();
  const batch = names.map((name) => ({
    type: "traits",
    timestamp: now,
    headers: {
      [brand.headers.accessToken]: signToken(
        {
          iss: credentials.id,
          iat: Math.floor(Date.now() / 1_000),
          [brand.claims.subjectType]: "user",
          [brand.claims.asUser]: { external_id: name },
        },
        credentials.secret,
      ),
    },
    body: { plan: "pro" },
  }));
  const headers = { [brand.headers.appId]: credentials.id, [brand.headers.accessToken]: credentials.secret };
  const answer = await call("POST", "/firehose", { batch, timestamp: now, sentAt: now }, headers);
  expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ accepted: names.length })]);
}

/** A request that trusts the certificate of the test alone. */
async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const ca = await readFile(join(CERTIFICATE, "cert.pem"));
  const text = body ? JSON.stringify(body) : "";
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const outgoing = request(
      `https://127.0.0.1:${port}${path}`,
      { method, ca, headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) } },
      async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        resolve({ status: answer.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString() || "null") });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}
