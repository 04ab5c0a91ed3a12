import { isObject } from "./is-object.js";
import { parseJson } from "./parse-json.js";

/** The header or the payload of a JSON Web Token, as it stands in the token. */
export function encodeTokenPart(value: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** The header or the payload of a JSON Web Token, or undefined when the part does not hold a JSON object. */
export function decodeTokenPart(part: string): Record<string, unknown> | undefined {
  const value = parseJson(Buffer.from(part, "base64url").toString("utf8"));
  return isObject(value) ? value : undefined;
}
