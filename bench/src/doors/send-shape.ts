import { readFile } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { signToken } from "@muster/protocol";
import type { RunningServer } from "../lib/start-server.js";
import { waitForPosition } from "../lib/wait-for-position.js";
import { holdSockets } from "./hold-sockets.js";
import type { Call, Maker, Sender, Shape } from "./shape.js";

export interface Doors {
  server: RunningServer;
  maker: Maker;
  adminToken: string;
  /** The headers of a member who may edit. */
  editor: Record<string, string>;
}

export interface Sent {
  bytes: number;
  /** The status of the last answer, or what became of connections. */
  status: string;
  sender: Sender;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  position: string;
  text: string;
}

export async function openDoors(server: RunningServer, dataDir: string): Promise<Doors> {
  const { connectorId, secret } = server;
  const tokenOf = (externalId: string) =>
    signToken(
      {
        iss: connectorId,
        iat: Math.floor(Date.now() / 1_000),
        "io.svc.subjectType": "user",
        "io.svc.asUser": { external_id: externalId },
      },
      secret,
    );
  const adminToken = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const base = { connectorId, platformId: "", token: tokenOf("end-user"), tokenOf, now: new Date().toISOString() };
  const doors: Doors = { server, maker: base, adminToken, editor: {} };
  const platformId = await createPlatform(doors);
  return { ...doors, maker: { ...base, platformId }, editor: await signInAsEditor(doors) };
}

async function createPlatform(doors: Doors): Promise<string> {
  const body = JSON.stringify({ name: "Doors", domains: ["*.example.com"] });
  const answer = await send(doors, { method: "POST", path: "/api/v1/platforms", as: "operator", body });
  return JSON.parse(answer.text).id;
}

/** Invites an editor, accepts the invitation, and returns what the browser of the editor sends. */
async function signInAsEditor(doors: Doors): Promise<Record<string, string>> {
  const invitation = JSON.stringify({ email: "editor@doors.example", role: "editor" });
  const invited = await send(doors, { method: "POST", path: "/api/v1/invitations", as: "operator", body: invitation });
  const token = String(JSON.parse(invited.text).url).split("/").at(-1);
  const body = JSON.stringify({ token, name: "Editor", password: "a password of doors" });
  const accepted = await send(doors, { method: "POST", path: "/api/v1/invitations/accept", as: "nobody", body });
  const cookie = accepted.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  return { cookie, "x-csrf-token": JSON.parse(accepted.text).csrf_token };
}

/** Sends the requests of a shape, and waits until the server has consumed what they left behind. */
export async function sendShape(doors: Doors, shape: Shape): Promise<Sent> {
  if (shape.sockets) {
    const { bytes, ended } = await holdSockets(doors.server, shape.sockets);
    return { bytes, status: `${ended} of ${shape.sockets.count} let go`, sender: "nobody" };
  }
  const calls = shape.calls(doors.maker);
  const answers = shape.imports
    ? [await importFile(doors, calls[0]?.body ?? "", shape.imports)]
    : shape.together
      ? await Promise.all(calls.map((call) => send(doors, call)))
      : await sendInTurn(doors, calls);
  for (const { position } of answers) if (position !== "") await waitForPosition(doors.server, position);
  const last = answers.at(-1);
  if (shape.isBaseline && (last?.status ?? 0) >= 300) {
    throw new Error(`${shape.door}: ${shape.name} is a good request and was answered ${last?.status}: ${last?.text}`);
  }
  const bytes = calls.reduce((sum, { body = "" }) => sum + Buffer.byteLength(body), 0);
  return { bytes, status: String(last?.status ?? 0), sender: calls[0]?.as ?? "nobody" };
}

async function sendInTurn(doors: Doors, calls: readonly Call[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const call of calls) answers.push(await send(doors, call));
  return answers;
}

/** Uploads a file, imports it, and waits until the job has ended. */
async function importFile(doors: Doors, file: string | Buffer, object: "users" | "events"): Promise<Answer> {
  const upload = JSON.parse((await send(doors, { method: "POST", path: "/api/v1/uploads", as: "connector" })).text);
  await send(doors, {
    method: "PUT",
    path: `/api/v1/uploads/${upload.id}?offset=0`,
    as: "connector",
    body: file,
    headers: { "content-type": "application/octet-stream" },
  });
  const body = JSON.stringify({ url: upload.url, format: "json" });
  const scheduled = await send(doors, { method: "POST", path: `/api/v1/import/${object}`, as: "connector", body });
  const { id } = JSON.parse(scheduled.text);
  for (;;) {
    const answer = await send(doors, { method: "GET", path: `/api/v1/${id}`, as: "connector" });
    const { status } = JSON.parse(answer.text);
    if (status !== "scheduled" && status !== "running") return answer;
    await sleep(50);
  }
}

function send({ server, maker, adminToken, editor }: Doors, call: Call): Promise<Answer> {
  const { url, connectorId, secret } = server;
  const credentials: Record<Sender, Record<string, string>> = {
    connector: { "svc-app-id": connectorId, "svc-access-token": secret },
    subject: { "svc-app-id": connectorId, "svc-access-token": maker.token },
    operator: { authorization: `Bearer ${adminToken}` },
    editor,
    page: { origin: "https://shop.example.com" },
    nobody: {},
  };
  const headers = {
    "svc-organization": "default",
    ...(call.body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(call.body)) }),
    ...credentials[call.as],
    ...call.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${call.path}`, { method: call.method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const position = String(answer.headers["svc-position"] ?? "");
        const text = Buffer.concat(chunks).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, position, text });
      });
    });
    // A server that refuses a body closes the connection while the body is sent.
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || error.code === "ECONNRESET")
        resolve({ status: 0, headers: {}, position: "", text: "" });
      else reject(error);
    });
    sent.end(call.body);
  });
}
