import { DAY_MS } from "@muster/protocol";
import { type AttributeTypes, parse, parseTrend, type Target } from "@muster/query";
import type { Questions } from "../lib/questions.js";

export interface PropertyQuestion {
  name: string;
  /** One number of the answer. */
  ask(questions: Questions): Promise<number>;
}

/** Questions as searches, segments and insights ask them, about the properties `path` (a text) and `amount` (a number). */
export function propertyQuestions(
  org: string,
  context: { attributeTypes: AttributeTypes; now: Date },
): PropertyQuestion[] {
  const { now } = context;
  const count = (name: string, target: Target, query: unknown): PropertyQuestion => {
    const selection = { ...context, target, query: parse(query, { target }) };
    return { name, ask: (questions) => questions.count(org, selection) };
  };
  const sum = (name: string, more: object): PropertyQuestion => {
    const series = [{ event: "Event 5", measure: "sum", property: "properties.amount" } as const];
    const from = new Date(now.getTime() - 30 * DAY_MS).toISOString();
    const times = { from, to: now.toISOString(), interval: "day", time_zone: "UTC", limit: 10 } as const;
    const [trend] = parseTrend({ series, ...times, ...more }, { now });
    if (trend === undefined) throw new Error("A trend has a series.");
    const ask = async (questions: Questions) =>
      (await questions.trend(org, trend, context)).reduce((total, { value }) => total + (value ?? 0), 0);
    return { name, ask };
  };
  const isLarge = { range: { "properties.amount": { gt: 900 } } };
  const isRecent = { range: { created_at: { gte: "now-30d" } } };
  return [
    count("events with a property > n", "event", isLarge),
    count("events with two properties", "event", {
      bool: { must: [isLarge, { term: { "properties.path": "/p/7" } }] },
    }),
    count("users who did it with a property > n in 30 days", "user", {
      has_child: { type: "event", query: { bool: { must: [{ term: { event: "Event 5" } }, isLarge, isRecent] } } },
    }),
    sum("sum of a property, by day, 30 days", {}),
    sum("the same, broken down by a property", { breakdown: "properties.path" }),
  ];
}
