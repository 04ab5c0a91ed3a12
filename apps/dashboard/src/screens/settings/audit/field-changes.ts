import { attributeName, sentenceCase } from "../../../ui/text/words.js";

/** One field of a change: its path, what it was and what it became. `undefined` means that it was not there. */
export interface FieldChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** The fields of a change, one line each. Objects are taken apart, lists are not. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const [was, became] = [flatten(before), flatten(after)];
  const paths = [...new Set([...was.keys(), ...became.keys()])];
  return paths.map((path) => ({ path, before: was.get(path), after: became.get(path) }));
}

function flatten(value: unknown, path = ""): Map<string, string> {
  if (value === null || value === undefined) return path === "" ? new Map() : new Map([[path, "null"]]);
  if (typeof value !== "object" || Array.isArray(value)) return new Map([[path, textOf(value)]]);
  const fields = Object.entries(value);
  if (fields.length === 0 && path !== "") return new Map([[path, "{}"]]);
  return new Map(fields.flatMap(([name, one]) => [...flatten(one, path === "" ? name : `${path}.${name}`)]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const WORDS: Record<string, string> = {
  settings: "Settings",
  private_settings: "Private settings",
  query: "Filter",
  predicate: "Conditions",
  traits: "Attributes",
  cut: "Beginning of a long request",
  enabled: "Switched on",
  source_url: "Address",
  url: "Address",
};

/** The place of a field, for people. @example pathWords("private_settings.api_key") // "Private settings › api key" */
export function pathWords(path: string): string {
  const [first = "", ...rest] = path.split(".");
  const words = WORDS[first] ?? sentenceCase(first.replaceAll("_", " "));
  return [words, ...rest.map((part) => attributeName(part).replaceAll("_", " "))].join(" › ");
}

const ID = /\b[0-9a-f]{24}\b/g;
const LONGEST = 300;

/** A value for people: with the names of objects in place of their ids, and cut when it is long. */
export function valueWords(value: string, names: ReadonlyMap<string, string>): string {
  const named = value.replaceAll(ID, (id) => names.get(id) ?? id);
  return named.length > LONGEST ? `${named.slice(0, LONGEST)}…` : named;
}
