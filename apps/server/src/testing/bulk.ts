import { vi } from "vitest";
import type { TestServer } from "./test-server.js";

export interface JobAnswer {
  id: string;
  type: string;
  object: string;
  status: string;
  name: string;
  description: string;
  progress: { processed: number; total: number | null; rejected: number; processed_bytes: number; total_bytes: number };
  result: Record<string, unknown> | null;
  error: string | null;
  download_url?: string;
  rejected_url?: string;
  expires_at?: string;
  callback?: { attempts: number; error: string | null; next_at: string | null; called_at: string | null };
}

/** Calls the API as the first connector. */
export async function call<Answer>(
  server: TestServer,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
): Promise<{ status: number; body: Answer }> {
  const answer = await server.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: server.connectorHeaders,
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, body: answer.json<Answer>() };
}

const ENDED = ["completed", "failed", "canceled"];

/** How long to wait for something that happens soon. A loaded machine may need this long. */
export const PATIENCE = { timeout: 60_000, interval: 25 };

/** The job once it has ended. */
export async function ended(server: TestServer, id: string, patience = PATIENCE): Promise<JobAnswer> {
  return vi.waitUntil(async () => {
    const { body } = await call<JobAnswer>(server, "GET", `/${id}`);
    return ENDED.includes(body.status) ? body : undefined;
  }, patience);
}

/** Starts a job and waits until it has ended. */
export async function runJob(server: TestServer, path: string, body: object): Promise<JobAnswer> {
  const created = await call<JobAnswer>(server, "POST", path, body);
  if (created.status !== 201) throw new Error(`${created.status} ${JSON.stringify(created.body)}`);
  return ended(server, created.body.id);
}

/** Downloads a file through the application. */
export async function download(server: TestServer, url: string | undefined): Promise<string> {
  const { pathname, search } = new URL(url ?? "");
  const answer = await server.app.inject({ method: "GET", url: pathname + search });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`);
  return answer.body;
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
