import { type DeclaredSetting, readManifest } from "@muster/protocol/manifest";
import type { CommandContext } from "../command-context.js";
import { usageFailure } from "../failure.js";
import { readArgument } from "../input/read-argument.js";

const GROUPS = ["settings", "private_settings"] as const;
type Group = (typeof GROUPS)[number];

/** A new value for one setting of a connector. */
export interface Assignment {
  group: Group;
  name: string;
  declared: DeclaredSetting | undefined;
  value: unknown;
}

/**
 * Reads `KEY=VALUE` arguments. A key is `settings.<name>`, `private_settings.<name>`, or the name of a setting that the
 * manifest declares. `KEY=` clears, `KEY:=JSON` gives JSON, `KEY=@FILE` reads a file and `KEY=-` standard input.
 */
export async function readAssignments(
  context: CommandContext,
  manifest: unknown,
  given: readonly string[],
): Promise<Assignment[]> {
  if (given.filter((text) => /^[^=]*[^:]=-$/.test(text)).length > 1) {
    throw usageFailure("Standard input can hold the value of one setting only.");
  }
  const assignments: Assignment[] = [];
  for (const text of given) {
    const [, key = "", isJson, raw = ""] = /^([^=]+?)(:?)=(.*)$/s.exec(text) ?? [];
    if (key === "") throw usageFailure(`"${text}" is not like KEY=VALUE.`);
    const place = resolveKey(manifest, key);
    const value = isJson ? readJson(raw, key) : await readValue(context, place.declared, key, raw);
    assignments.push({ ...place, value });
  }
  return assignments;
}

function resolveKey(manifest: unknown, key: string): Omit<Assignment, "value"> {
  const declared = readManifest(manifest);
  for (const group of GROUPS) {
    if (!key.startsWith(`${group}.`)) continue;
    const name = key.slice(group.length + 1);
    if (name === "") throw usageFailure(`"${key}" names no setting.`);
    return { group, name, declared: declared[group].find((setting) => setting.name === name) };
  }
  const found = GROUPS.flatMap((group) =>
    declared[group].filter(({ name }) => name === key).map((setting) => ({ group, name: key, declared: setting })),
  );
  const [first, second] = found;
  if (first && !second) return first;
  const known = GROUPS.flatMap((group) => declared[group].map(({ name }) => `${group}.${name}`)).join(", ");
  throw usageFailure(
    first
      ? `"${key}" is declared twice. Give settings.${key} or private_settings.${key}.`
      : `The manifest declares no setting "${key}". ${known === "" ? "It declares none" : `It declares ${known}`}; others can be set as settings.${key} or private_settings.${key}.`,
  );
}

async function readValue(
  context: CommandContext,
  declared: DeclaredSetting | undefined,
  key: string,
  raw: string,
): Promise<unknown> {
  if (raw === "") return null;
  const isRead = raw === "-" || raw.startsWith("@");
  // Editors and `echo` end a text with a line break that is not part of the value.
  const text = isRead ? (await readArgument(context, raw)).replace(/\r?\n$/, "") : raw;
  const shown = isRead ? "the value" : `"${text}"`;
  switch (declared?.type) {
    case "number":
    case "integer": {
      const number = Number(text);
      if (text.trim() === "" || !Number.isFinite(number)) throw usageFailure(`${key}: ${shown} is not a number.`);
      return number;
    }
    case "boolean":
      if (!/^(true|false|yes|no|on|off|1|0)$/i.test(text)) throw usageFailure(`${key}: ${shown} is not true or false.`);
      return /^(true|yes|on|1)$/i.test(text);
    case "array":
    case "object":
      return readJson(text, key);
    default:
      return text;
  }
}

function readJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message would repeat a part of the value, which may be a secret.
    throw usageFailure(`${key}: the value is not valid JSON.`, error);
  }
}
