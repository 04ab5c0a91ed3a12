import { createServer } from "node:net";
import { reach } from "../api.js";
import type { Finding } from "./finding.js";

export interface ServerExamination {
  findings: Finding[];
  /** The time of the server's clock; undefined when no server answers. */
  serverTime: number | undefined;
}

/** Checks that Muster answers at this address and that its engines are up. Without a server, checks that the port is free. */
export async function checkServer(url: string): Promise<ServerExamination> {
  const health = await reach(`${url}/healthz`).catch((error: Error) => error);
  if (health instanceof Error) return { findings: await checkPort(url, health), serverTime: undefined };
  const body = (await health.json().catch(() => undefined)) as { status?: unknown } | undefined;
  if (!health.ok || body?.status !== "ok") {
    const message = `a program other than Muster answers at ${url}: stop it, or start Muster with another PORT`;
    return { findings: [{ check: "port", verdict: "problem", message }], serverTime: undefined };
  }
  const port: Finding = { check: "port", verdict: "ok", message: `a server is running at ${url}` };
  const date = Date.parse(health.headers.get("date") ?? "");
  return { findings: [port, await checkEngines(url)], serverTime: Number.isNaN(date) ? undefined : date };
}

async function checkEngines(url: string): Promise<Finding> {
  const ready = await reach(`${url}/readyz`);
  return ready.ok
    ? { check: "engines", verdict: "ok", message: "PostgreSQL and the question engine answer" }
    : { check: "engines", verdict: "problem", message: "an engine does not answer: the server's log says which" };
}

const LOCAL_HOSTS = ["127.0.0.1", "localhost", "[::1]"];

async function checkPort(url: string, failure: Error): Promise<Finding[]> {
  const { hostname, port } = new URL(url);
  const engines: Finding = { check: "engines", verdict: "warning", message: "not checked, no server is running" };
  if (!LOCAL_HOSTS.includes(hostname)) {
    return [{ check: "port", verdict: "problem", message: failure.message }, engines];
  }
  const obstacle = await tryToListen(Number(port || 80), hostname.replace(/^\[|\]$/g, ""));
  const finding: Finding = obstacle
    ? { check: "port", verdict: "problem", message: `port ${port} cannot be used: ${obstacle.message}` }
    : { check: "port", verdict: "ok", message: `port ${port} is free` };
  return [finding, engines];
}

function tryToListen(port: number, host: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
