import { Refusal } from "@muster/protocol";
import { notValidJson } from "../../runtime/json/malformed-json.js";
import { readBrackets } from "./read-brackets.js";

/**
 * Reads the `where` parameter of a URL, as JSON or in bracket notation (`where[$or][0][name]=a`). Values in brackets
 * are always text, so a text that looks like a number or a boolean matches both the text and the value.
 */
export function readWhere(url: string): unknown {
  const { where } = readBrackets(url);
  if (where === undefined || where === "") return {};
  if (typeof where !== "string") return withParsedValues(where);
  try {
    return JSON.parse(where) as unknown;
  } catch {
    const message = notValidJson(where);
    throw new Refusal("invalid_parameter", `where ${message}.`, {
      details: [{ path: "query.where", message }],
    });
  }
}

function withParsedValues(value: unknown): unknown {
  if (typeof value === "string") {
    const isPlain = /^(true|false|-?\d+(\.\d+)?)$/.test(value);
    return isPlain ? [value, JSON.parse(value.replace(/^(-?)0+(?=\d)/, "$1")) as unknown] : value;
  }
  if (Array.isArray(value)) return value.flatMap(withParsedValues);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withParsedValues(part)]));
}
