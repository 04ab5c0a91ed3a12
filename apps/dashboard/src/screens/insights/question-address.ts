import type { InsightQuestion } from "@muster/protocol/api/insights";
import { FIRST_QUESTIONS } from "./first-questions.js";

/** Reads the question of an address. An address that somebody broke shows the first question instead. */
export function readQuestion(text: string): InsightQuestion {
  if (text === "") return FIRST_QUESTIONS.trend;
  try {
    const { trend, funnel, retention } = JSON.parse(text) as InsightQuestion;
    if (trend && Array.isArray(trend.series)) return { trend: { ...FIRST_QUESTIONS.trend.trend, ...trend } };
    if (funnel && Array.isArray(funnel.steps)) return { funnel: { ...FIRST_QUESTIONS.funnel.funnel, ...funnel } };
    if (retention) return { retention: { ...FIRST_QUESTIONS.retention.retention, ...retention } };
  } catch {
    return FIRST_QUESTIONS.trend;
  }
  return FIRST_QUESTIONS.trend;
}

/** Whether two questions ask the same. The order of keys does not matter: the server stores them in its own. */
export function asksTheSame(one: InsightQuestion, other: InsightQuestion): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** An object without a key. */
export function without<Value extends object, Key extends keyof Value>(value: Value, key: Key): Omit<Value, Key> {
  const { [key]: _removed, ...rest } = value;
  return rest;
}
