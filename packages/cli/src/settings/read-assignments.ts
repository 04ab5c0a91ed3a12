import { type DeclaredSetting, readManifest } from "@muster/protocol/manifest";
import type { CommandContext } from "../command-context.js";
import { usageFailure } from "../failure.js";
import { readValues } from "./read-values.js";

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
 * Reads `KEY=VALUE` arguments, see `readValues`. A key is `settings.<name>`, `private_settings.<name>`, or the name of a
 * setting that the manifest declares.
 */
export function readAssignments(
  context: CommandContext,
  manifest: unknown,
  given: readonly string[],
): Promise<Assignment[]> {
  return readValues(context, given, (key) => resolveKey(manifest, key));
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
