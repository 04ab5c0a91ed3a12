import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface LogCall {
  /** The text, with `…` for what is put in when it is logged. */
  message: string;
  level: "info" | "warn" | "error";
  /** Names of the fields that are written in the call, sorted. */
  fields: string[];
}

const SERVER = fileURLToPath(new URL("../../apps/server/src/", import.meta.url));
// Problems of the question engine's files are logged as warnings with these fields by server/open-engines.ts.
const ENGINE_PROBLEM = { level: "warn", fields: ["err", "organizationId"] } as const;

/** Every call of the server that writes to the log. Found in the text of the sources, as the formatter leaves them. */
export function logCalls(): LogCall[] {
  const calls = sources().flatMap((source) => [
    ...[...source.matchAll(/(?:logger|log)\.(info|warn|error)\(/g)].flatMap((match) => {
      const call = readCall(argumentsFrom(source, match.index + match[0].length));
      return call ? [{ ...call, level: match[1] as LogCall["level"] }] : [];
    }),
    ...[...source.matchAll(/onProblem\(\s*\w+,/g)].flatMap((match) => {
      const message = textOf(argumentsFrom(source, match.index + "onProblem(".length)[1] ?? "");
      return message === undefined ? [] : [{ message, ...ENGINE_PROBLEM, fields: [...ENGINE_PROBLEM.fields] }];
    }),
  ]);
  const known = new Map(calls.map((call) => [`${call.message} ${call.level} ${call.fields}`, call]));
  return [...known.values()].sort((one, other) => (one.message < other.message ? -1 : 1));
}

function sources(): string[] {
  return readdirSync(SERVER, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|^(testing|tools)\/|\/(testing|contract)\//.test(path))
    .map((path) => readFileSync(`${SERVER}${path}`, "utf8"));
}

/** A call whose message is a text in the source; undefined when it is computed, such as that of a refusal. */
function readCall(given: string[]): Omit<LogCall, "level"> | undefined {
  const message = textOf(given.at(-1) ?? "");
  if (message === undefined) return undefined;
  const object = given.length > 1 ? (given[0] ?? "") : "";
  const fields = object.startsWith("{") ? fieldsOf(object) : [];
  return { message, fields: fields.sort() };
}

function fieldsOf(object: string): string[] {
  return splitArguments(object.slice(1, -1)).flatMap((field) => /^(\w+)(?:$|:)/.exec(field)?.[1] ?? []);
}

function textOf(argument: string): string | undefined {
  const [, text] = /^["`]([\s\S]*)["`]$/.exec(argument) ?? [];
  return text?.replaceAll(/\$\{[^}]*\}/g, "…");
}

/** The arguments of a call whose first one begins at `from`. */
function argumentsFrom(source: string, from: number): string[] {
  let depth = 1;
  let end = from;
  for (let quote = ""; depth > 0 && end < source.length; end++) {
    const character = source[end] ?? "";
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (/["`]/.test(character)) quote = character;
    else if (/[([{]/.test(character)) depth++;
    else if (/[)\]}]/.test(character)) depth--;
  }
  return splitArguments(source.slice(from, end - 1));
}

/** Splits at the commas that are in no brackets and no quotes. */
function splitArguments(text: string): string[] {
  const parts = [""];
  let depth = 0;
  let quote = "";
  for (const character of text) {
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (/["`]/.test(character)) quote = character;
    else if (/[([{]/.test(character)) depth++;
    else if (/[)\]}]/.test(character)) depth--;
    if (character === "," && depth === 0 && quote === "") parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
