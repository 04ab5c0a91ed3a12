import { createBrand } from "@muster/protocol";
import type { Credentials } from "./credentials.js";

const { headers: names } = createBrand();

export interface ApiCall {
  method: string;
  /** The path below `/api/v1`. */
  path: string;
  headers: Record<string, string>;
  body?: object | undefined;
}

/** Calls the REST API of a server and returns its answer. Throws when the status is not 2xx. */
export async function callApi<Answer>(url: string, { method, path, headers, body }: ApiCall): Promise<Answer> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Answer;
}

/** The headers of a connector with its secret. */
export function connectorHeaders({ id, secret }: Credentials): Record<string, string> {
  return { [names.appId]: id, [names.accessToken]: secret };
}
