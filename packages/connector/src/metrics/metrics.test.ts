import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { StatsD } from "hot-shots";
import { expect, it, vi } from "vitest";
import { Connector } from "../connector.js";
import { callConnector, startFakePlatform } from "../testing/index.js";
import { createMetric } from "./metric.js";
import { prometheusMetrics } from "./prometheus-metrics.js";
import { statsdMetrics } from "./statsd-metrics.js";

const base = { organization: "acme" };

it("sends counters, gauges and events to StatsD, with their tags", async () => {
  const socket = createSocket("udp4");
  const received: string[] = [];
  socket.on("message", (message) => received.push(message.toString()));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  const client = new StatsD({ host: "127.0.0.1", port });
  const metric = createMetric([statsdMetrics(client)], base);
  metric.increment("ship.service_api.call", 2, ["endpoint:GET /contacts"]);
  metric.value("ship.service_api.remaining", 41);
  metric.event("sync.finished", { text: "all of it", properties: { contacts: 120 } });
  await vi.waitFor(() => expect(received).toHaveLength(3));
  client.close(() => {});
  socket.close();
  expect(received.sort()).toEqual([
    "_e{13,9}:sync.finished|all of it|#organization:acme,contacts:120",
    "ship.service_api.call:2|c|#organization:acme,endpoint:GET /contacts",
    "ship.service_api.remaining:41|g|#organization:acme",
  ]);
});

it("provides counters and gauges for Prometheus to scrape", async () => {
  const sink = prometheusMetrics();
  const metric = createMetric([sink], base);
  metric.increment("ship.service_api.call", 2, ["endpoint:GET /contacts"]);
  metric.increment("ship.service_api.call", 1, ["endpoint:GET /contacts", "later:tag"]);
  metric.increment("ship.service_api.call", 1);
  metric.value("ship.service_api.remaining", 41);
  metric.value("ship.service_api.remaining", 40);
  metric.event("sync.finished");
  const server = express().get("/metrics", sink.scrape).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { text } = await callConnector(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
  server.closeAllConnections();
  server.close();
  expect(text).toContain('ship_service_api_call_total{organization="acme",endpoint="GET /contacts"} 3');
  expect(text).toContain('ship_service_api_call_total{organization="acme"} 1');
  expect(text).toContain('ship_service_api_remaining{organization="acme"} 40');
  expect(text).toContain('sync_finished_total{organization="acme"} 1');
});

it("counts one and sets one unless a value is given, and reads tags up to their first colon", () => {
  const seen: unknown[] = [];
  const note = (kind: string) => (name: string, value: unknown, tags: unknown) =>
    void seen.push([kind, name, value, tags]);
  const sink = { increment: note("increment"), value: note("value"), event: note("event") };
  const metric = createMetric([sink], base);
  metric.increment("a");
  metric.value("b");
  metric.value("c", 0, ["url:https://crm.example.com", "new"]);
  metric.event("d");
  expect(seen).toEqual([
    ["increment", "a", 1, base],
    ["value", "b", 1, base],
    ["value", "c", 0, { ...base, url: "https://crm.example.com", new: "true" }],
    ["event", "d", { text: "", properties: {} }, base],
  ]);
});

it("reports calls to the service and what the service still allows to Muster, gathered into one report", async () => {
  const platform = await startFakePlatform();
  const manifest = { name: "My CRM", version: "1.0.0", settings_sections: [] };
  const connector = new Connector({ manifest, organizations: [platform.url] });
  const first = await connector.contextFor(platform.credentials);
  const second = await connector.contextFor(platform.credentials);
  first.metric.increment("ship.service_api.call", 2, ["endpoint:GET /contacts"]);
  second.metric.increment("ship.service_api.call");
  first.metric.increment("another.metric");
  second.metric.value("ship.service_api.remaining", 40);
  first.metric.value("ship.service_api.remaining", 41);
  first.metric.value("ship.service_api.remaining", Number.NaN);
  await connector.close();
  const reports = platform.calls.filter(({ path }) => path === "/app/metrics").map(({ body }) => body);
  await platform.close();
  expect(reports).toEqual([
    {
      metrics: [
        { name: "ship.service_api.call", value: 3 },
        { name: "ship.service_api.remaining", value: 40 },
      ],
    },
  ]);
});
