import type { RunningServer } from "./start-server.js";

export type Api = (method: "GET" | "POST" | "PUT", path: string, body?: object, headers?: object) => Promise<Response>;

/** Calls of the REST API with a connector's secret. An answer that is not 2xx is an error. */
export function openApi(server: Pick<RunningServer, "url" | "connectorId" | "secret">): Api {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        "svc-app-id": server.connectorId,
        "svc-access-token": server.secret,
        ...(body ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (answer.ok) return answer;
    throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  };
}
