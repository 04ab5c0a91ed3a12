import { asObject } from "../../../ui/code/json-parts.js";

const WHOLE_PATH = /^\{\{\s*([^{}]+?)\s*\}\}$/;
const ANY_PATH = /\{\{[^{}]+\}\}/;
const OTHERWISE = "??";

/**
 * The value of a field as people write it: a text, in which `{{traits.email}}` stands for a value of the user or the event, and
 * `{{traits.email ?? properties.email}}` for the first of these that there is. What cannot be written so is JSON.
 */
export function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  const paths = pathsOf(value);
  if (paths) return `{{${paths.join(` ${OTHERWISE} `)}}}`;
  const [[directive, argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && typeof argument === "string" && directive === "@template") return argument;
  return JSON.stringify(value);
}

/** The value that somebody wrote; undefined for none. */
export function valueOfText(text: string, type: string): unknown {
  if (text.trim() === "") return undefined;
  const [, written] = WHOLE_PATH.exec(text.trim()) ?? [];
  const paths = written?.split(OTHERWISE).map((path) => path.trim());
  if (paths?.every((path) => path !== "")) return valueOfPaths(paths);
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

/** The paths of which the first that exists counts; undefined when a value is something else. */
function pathsOf(value: unknown): string[] | undefined {
  const { "@path": path, "@if": condition, ...others } = asObject(value) ?? {};
  if (Object.keys(others).length > 0) return undefined;
  if (condition === undefined) return typeof path === "string" && path.startsWith("$.") ? [path.slice(2)] : undefined;
  const { exists, then, else: otherwise, ...more } = asObject(condition) ?? {};
  const first = pathsOf(exists);
  const next = pathsOf(otherwise);
  const isPlain = path === undefined && Object.keys(more).length === 0 && first?.length === 1;
  if (!isPlain || !next || pathsOf(then)?.join() !== first.join()) return undefined;
  return [...first, ...next];
}

function valueOfPaths([first = "", ...others]: readonly string[]): object {
  const value = { "@path": `$.${first}` };
  if (others.length === 0) return value;
  // biome-ignore lint/suspicious/noThenProperty: the language of mappings has this name
  return { "@if": { exists: value, then: value, else: valueOfPaths(others) } };
}
