import { Counter, Gauge, Registry } from "prom-client";
import { expect, test } from "vitest";
import { Scrapes } from "./scrapes.js";

test("scrapes at the same time share one reading, and a later one reads again", async () => {
  const registry = new Registry();
  const registers = [registry];
  const unread = new Counter({ name: "unread", help: "Failures.", labelNames: ["figures"], registers });
  const gauge = new Gauge({ name: "readings", help: "How often it was read.", registers });
  const scrapes = new Scrapes(registry, unread);
  let readings = 0;
  scrapes.add({
    name: "readings",
    gauges: [gauge],
    async read() {
      readings += 1;
      return () => gauge.set(readings);
    },
  });
  const [first, second] = await Promise.all([scrapes.text(), scrapes.text()]);
  expect(first).toMatch(/^readings 1$/m);
  expect(second).toBe(first);
  expect(await scrapes.text()).toMatch(/^readings 2$/m);
});
