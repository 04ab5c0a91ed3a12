import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answerOrders } from "../lib/answer-orders.js";
import { percentile } from "../lib/percentile.js";

/**
 * An order to ask the API at a steady pace while a load runs: users by their id, and pages of a search. This module is a
 * process of its own, so that neither the load nor the bench delays its clock.
 */
export interface ProbeOrder {
  url: string;
  connectorId: string;
  secret: string;
  seconds: number;
  /** `GET /:id` of a user, so many times a second. */
  readsPerSecond: number;
  /** A page of a search, so many times a second. */
  searchesPerSecond: number;
}

export interface ProbeReport {
  reads: Latencies;
  searches: Latencies;
}

export interface Latencies {
  requests: number;
  failed: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
}

const SEARCH = { query: { term: { plan: "pro" } }, sort: { last_login_at: "desc" }, per_page: 30 };

answerOrders(async (order: ProbeOrder): Promise<ProbeReport> => {
  const agent = new Agent({ keepAlive: true });
  const ids = await findIds(agent, order);
  if (ids.length === 0) throw new Error("There is no user to ask for.");
  const [reads, searches] = await Promise.all([
    askEvenly(order.seconds, order.readsPerSecond, (n) => call(agent, order, "GET", `/${ids[n % ids.length]}`)),
    askEvenly(order.seconds, order.searchesPerSecond, () => call(agent, order, "POST", "/search/user_reports", SEARCH)),
  ]);
  agent.destroy();
  return { reads, searches };
});

/** Asks at the due times, whether or not the answers before have arrived. Latency counts from the due time. */
async function askEvenly(
  seconds: number,
  perSecond: number,
  ask: (n: number) => Promise<{ status: number }>,
): Promise<Latencies> {
  const startedAt = performance.now();
  const asking: Promise<void>[] = [];
  const latencies: number[] = [];
  let failed = 0;
  for (let n = 0; n < seconds * perSecond; n++) {
    const due = startedAt + (n / perSecond) * 1_000;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    asking.push(
      ask(n).then(
        ({ status }) => {
          latencies.push(performance.now() - due);
          if (status !== 200) failed++;
        },
        () => {
          failed++;
        },
      ),
    );
  }
  await Promise.all(asking);
  return {
    requests: asking.length,
    failed,
    p50Ms: percentile(latencies, 0.5),
    p95Ms: percentile(latencies, 0.95),
    p99Ms: percentile(latencies, 0.99),
    maxMs: percentile(latencies, 1),
  };
}

async function findIds(agent: Agent, order: ProbeOrder): Promise<string[]> {
  const { body } = await call(agent, order, "POST", "/search/user_reports", { query: {}, per_page: 100 });
  const { data = [] } = JSON.parse(body) as { data?: { id: string }[] };
  return data.map(({ id }) => id);
}

function call(
  agent: Agent,
  { url, connectorId, secret }: ProbeOrder,
  method: string,
  path: string,
  content?: object,
): Promise<{ status: number; body: string }> {
  const text = content === undefined ? undefined : JSON.stringify(content);
  const headers = {
    "svc-app-id": connectorId,
    "svc-access-token": secret,
    ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v1${path}`, { method, agent, headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        body += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(text);
  });
}
