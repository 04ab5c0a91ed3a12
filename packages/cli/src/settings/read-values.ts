import { describeJsonFault } from "@muster/protocol";
import type { DeclaredSetting } from "@muster/protocol/manifest";
import type { CommandContext } from "../command-context.js";
import { usageFailure } from "../failure.js";
import { readArgument } from "../input/read-argument.js";

/**
 * Reads `KEY=VALUE` arguments; `place` says which setting a key means. `KEY=` clears, `KEY:=JSON` gives JSON,
 * `KEY=@FILE` reads a file and `KEY=-` standard input.
 */
export async function readValues<Place extends { declared: DeclaredSetting | undefined }>(
  context: CommandContext,
  given: readonly string[],
  place: (key: string) => Place,
): Promise<(Place & { value: unknown })[]> {
  if (given.filter((text) => /^[^=]*[^:]=-$/.test(text)).length > 1) {
    throw usageFailure("Standard input can hold the value of one setting only.");
  }
  const values: (Place & { value: unknown })[] = [];
  for (const text of given) {
    const [, key = "", isJson, raw = ""] = /^([^=]+?)(:?)=(.*)$/s.exec(text) ?? [];
    if (key === "") throw usageFailure(`"${text}" is not like KEY=VALUE.`);
    const setting = place(key);
    const value = isJson ? readJson(raw, key) : await readValue(context, setting.declared, key, raw);
    values.push({ ...setting, value });
  }
  return values;
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
    const place = describeJsonFault(text);
    throw usageFailure(`${key}: the value is not valid JSON${place === undefined ? "" : `: ${place}`}.`, error);
  }
}
