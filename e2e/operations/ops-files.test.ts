import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { describeMetrics } from "../../apps/server/src/tools/metrics-table.js";
import { readPromql } from "./promql.js";

const repository = new URL("../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, repository), "utf8");

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const alerts = parse(await read("ops/prometheus/alerts.yaml")) as { groups: { rules: Rule[] }[] };
const rules = alerts.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(await read("ops/grafana/muster.json")) as {
  panels: { id: number; title: string; targets?: { expr: string; legendFormat: string }[] }[];
};
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

/** Prometheus itself adds these. */
const ADDED_LABELS = ["job", "instance"];

/** The labels of each series that a scrape of the server gives. */
const series = new Map<string, string[]>([["up", ADDED_LABELS]]);
for (const { name, type, labels } of describeMetrics()) {
  const all = [...labels, ...ADDED_LABELS];
  if (type !== "histogram") series.set(name, all);
  else
    for (const [suffix, more] of [
      ["_bucket", ["le"]],
      ["_sum", []],
      ["_count", []],
    ] as const)
      series.set(name + suffix, [...all, ...more]);
}

/** What an expression names and no scrape gives. */
function unknownNames(expression: string): string[] {
  const { selections, grouped } = readPromql(expression);
  const known = selections.flatMap(({ metric }) => series.get(metric) ?? []);
  return [
    ...selections.filter(({ metric }) => !series.has(metric)).map(({ metric }) => metric),
    ...selections.flatMap(({ metric, matched }) =>
      matched.filter((label) => !series.get(metric)?.includes(label)).map((label) => `${metric}{${label}}`),
    ),
    ...grouped.filter((label) => !known.includes(label)),
  ];
}

describe("the alert rules for Prometheus", () => {
  test.each(rules)("$alert uses metrics and labels that exist", ({ expr }) => {
    expect(unknownNames(expr)).toEqual([]);
  });

  test.each(rules)("$alert says what happened, how urgent it is, and where to read what to do", async (rule) => {
    const { expr, labels, annotations } = rule;
    expect(["page", "ticket"]).toContain(labels.severity);
    const used = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    const known = readPromql(expr).selections.flatMap(({ metric }) => series.get(metric) ?? []);
    expect(used.filter((label = "") => !known.includes(label))).toEqual([]);
    const [page = "", anchor] = annotations.runbook.split("#");
    const headings = [...(await read(page)).matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    expect(headings).toContain(anchor);
  });

  test("no two alerts have the same name", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

describe("the dashboard for Grafana", () => {
  test.each(targets)("$title uses metrics and labels that exist: $expr", ({ expr, legendFormat }) => {
    expect(unknownNames(expr)).toEqual([]);
    const known = readPromql(expr).selections.flatMap(({ metric }) => series.get(metric) ?? []);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
    expect(shown.filter((label) => !known.includes(label))).toEqual([]);
  });

  test("every metric of Muster is in a panel or an alert", () => {
    const used = new Set(
      [...targets, ...rules].flatMap(({ expr }) => readPromql(expr).selections.map(({ metric }) => metric)),
    );
    const unused = describeMetrics()
      .filter(({ name }) => name.startsWith("muster_"))
      .filter(({ name, type }) => !(type === "histogram" ? used.has(`${name}_bucket`) : used.has(name)));
    expect(unused.map(({ name }) => name)).toEqual([]);
  });

  test("every panel has its own id", () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});

test("an expression with an unknown metric, an unknown label or a mistake is found", () => {
  expect(unknownNames("rate(muster_nothing_total[5m])")).toEqual(["muster_nothing_total"]);
  expect(unknownNames('sum by (color) (muster_engine_up{shape="round"})')).toEqual([
    "muster_engine_up{shape}",
    "color",
  ]);
  expect(() => unknownNames("sum(muster_engine_up")).toThrow(/no PromQL/);
});
