import { Refusal } from "@muster/protocol";
import { OPERATIONS_API } from "@muster/protocol/api/operations";
import type { FastifyRequest } from "fastify";
import type { Metrics } from "../../../runtime/measures/metrics.js";
import { equalSecrets } from "../../../runtime/secrets/vault.js";
import type { App } from "../../app-type.js";

const LOOPBACK = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

export interface MetricsRoutesOptions {
  metrics: Metrics;
  token: string | undefined;
}

/** `/metrics` for Prometheus: with METRICS_TOKEN when it is set, and else for requests from loopback only. */
export function metricsRoutes(app: App, { metrics, token }: MetricsRoutesOptions): void {
  app.get(
    "/metrics",
    {
      config: { access: "open" },
      schema: {
        tags: ["operations"],
        summary: "Prometheus metrics",
        description: "For callers on this machine, or with the bearer token of METRICS_TOKEN.",
        ...OPERATIONS_API["GET /metrics"],
      },
    },
    async (request, reply) => {
      const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
      const allowed = token ? given !== undefined && equalSecrets(given, token) : isLocal(request);
      if (!allowed) {
        throw new Refusal(
          "unauthorized",
          "Metrics need the bearer token of METRICS_TOKEN, or a request from loopback.",
        );
      }
      reply.type(metrics.registry.contentType);
      return metrics.scrapes.text();
    },
  );
}

/** Headers by which proxies tell that they forward a request, and for whom. */
const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for",
  "true-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
];

/** Whether the client is on this machine. A proxy on this machine forwards requests of clients that are not. */
function isLocal({ ip, ips, headers }: FastifyRequest): boolean {
  if (!LOOPBACK.has(ip)) return false;
  const names = Object.keys(headers).filter((name) => PROXY_HEADERS.includes(name) || name.startsWith("x-forwarded-"));
  // With TRUST_PROXY the address is that of the client, as long as the proxy tells it in the header that is read for it.
  const isKnown = ips !== undefined && headers["x-forwarded-for"] !== undefined;
  return names.length === 0 || isKnown;
}
