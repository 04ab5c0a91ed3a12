import { isObject, parseJson } from "@muster/protocol";
import type { FailedCall } from "./dead-letter.js";

const LONGEST = 200;
/** Where services put the sentence that says what was wrong. */
const SENTENCES = ["message", "error_description", "error", "detail", "title", "reason", "errors"];
const DEEPEST = 3;

/**
 * Why a call failed, without the values that differ from message to message: calls and dead letters with the same cause
 * are one group.
 */
export function causeOf({ reason, answer }: Pick<FailedCall, "reason" | "answer">): string {
  const said = answer ? sentenceIn(answer.body) : "";
  return generalise(said === "" || reason.includes(said) ? reason : `${reason} ${said}`).slice(0, LONGEST);
}

function sentenceIn(body: string): string {
  const json = parseJson(body);
  if (json !== undefined) return sentenceOf(json, 0);
  // A page of HTML says nothing in its first lines.
  return body.trimStart().startsWith("<") ? "" : (body.trim().split("\n")[0] ?? "");
}

function sentenceOf(value: unknown, depth: number): string {
  if (typeof value === "string") return value.trim();
  if (depth >= DEEPEST) return "";
  if (Array.isArray(value)) return sentenceOf(value[0], depth + 1);
  if (!isObject(value)) return "";
  for (const name of SENTENCES) {
    const sentence = sentenceOf(value[name], depth + 1);
    if (sentence !== "") return sentence;
  }
  return "";
}

function generalise(text: string): string {
  return text
    .slice(0, LONGEST * 4)
    .replace(/\s+/g, " ")
    .replace(/[^\s"'<>(),;]+@[^\s"'<>(),;]+/g, "…")
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/gi, "…")
    .replace(/\b(?=[a-z]*\d)[0-9a-z]{12,}\b/gi, "…")
    .replace(/\d{4,}/g, "…");
}
