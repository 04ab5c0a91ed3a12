import { asObject } from "../../../ui/code/json-parts.js";

const WHOLE_PATH = /^\{\{\s*([^{}]+?)\s*\}\}$/;
const ANY_PATH = /\{\{[^{}]+\}\}/;

/**
 * The value of a field as people write it: a text, in which `{{traits.email}}` stands for a value of the user or the event. What
 * cannot be written so is JSON.
 */
export function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  const [[directive, argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && typeof argument === "string") {
    if (directive === "@template") return argument;
    if (directive === "@path" && argument.startsWith("$.")) return `{{${argument.slice(2)}}}`;
  }
  return JSON.stringify(value);
}

/** The value that somebody wrote; undefined for none. */
export function valueOfText(text: string, type: string): unknown {
  if (text.trim() === "") return undefined;
  const [, path] = WHOLE_PATH.exec(text.trim()) ?? [];
  if (path !== undefined) return { "@path": `$.${path}` };
  const json = readJson(text);
  if (json !== undefined) return json;
  if (ANY_PATH.test(text)) return { "@template": text };
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const isNumber = (type === "number" || type === "integer") && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

/** Whether a value can only be written as JSON. */
export function isJsonValue(value: unknown): boolean {
  return typeof value === "object" && value !== null && readJson(textOfValue(value)) !== undefined;
}

/** An object or a list. Braces in pairs begin a path and no object. */
function readJson(text: string): unknown {
  if (!/^\s*(\{(?!\{)|\[)/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) || asObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
