import type { AttributeType } from "@muster/protocol/api/choices";

/** What is typed, as a value of a type; or why it is none. */
export type Typed = { value: unknown } | { problem: string };

/** A value as a text to edit. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reads what was typed. The server decides whether the value fits; this catches what cannot be sent. */
export function readTyped(type: AttributeType, text: string): Typed {
  const typed = text.trim();
  switch (type) {
    case "string":
      return { value: text };
    case "date":
      return Number.isNaN(Date.parse(typed)) ? { problem: "Write a date such as 2026-12-31." } : { value: typed };
    case "numeric": {
      const number = Number(typed);
      return typed === "" || !Number.isFinite(number) ? { problem: "Write a number." } : { value: number };
    }
    case "boolean":
      if (typed === "true" || typed === "false") return { value: typed === "true" };
      return { problem: "Choose yes or no." };
    case "array":
      return readJson(typed, (value) => Array.isArray(value), 'Write a list as JSON, such as ["a", "b"].');
    case "json":
      return readJson(typed, (value) => typeof value === "object" && value !== null, "Write an object as JSON.");
  }
}

function readJson(text: string, fits: (value: unknown) => boolean, problem: string): Typed {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? { value } : { problem };
  } catch {
    return { problem };
  }
}
