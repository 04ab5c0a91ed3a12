import { isObject } from "@muster/protocol";

const MAX_CHARACTERS = 4_000;
const MAX_TEXT = 500;
const MAX_DEPTH = 6;

const PRIVATE = "[private]";
const PRIVATE_KEY = /^(.*[-_])?(token|secret|password|passwd|authorization|api[-_]?key)$/i;
const PRIVATE_PARAMETER = /([?&#](?:[\w-]*(?:token|secret|password|key))=)[^&#\s]+/gi;
// Also a token whose end is cut off.
const TOKEN = /\beyJ[\w-]+(?:\.[\w-]*)*/g;

/**
 * A copy of a JSON value that is small enough to be kept and shown. Tokens, and values whose key says that they are
 * secret, are replaced.
 */
export function shorten(given: unknown): { value: unknown; isShortened: boolean } {
  let left = MAX_CHARACTERS;
  let isShortened = false;
  const leaveOut = () => {
    isShortened = true;
    return "…";
  };
  const text = (value: string): string => {
    // Cut before the search, because the text can have megabytes.
    const short = value.slice(0, MAX_TEXT).replace(/\p{Surrogate}$/u, "");
    const safe = short.replace(PRIVATE_PARAMETER, `$1${PRIVATE}`).replace(TOKEN, PRIVATE);
    left -= safe.length;
    return value.length > MAX_TEXT ? `${safe}${leaveOut()}` : safe;
  };
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) {
      left -= 8;
      return value;
    }
    if (depth === MAX_DEPTH) return leaveOut();
    const items: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      if (left <= 0) {
        leaveOut();
        break;
      }
      left -= 4;
      const name = Array.isArray(value) ? key : text(key);
      items.push([name, PRIVATE_KEY.test(key.slice(0, MAX_TEXT)) ? PRIVATE : copy(item, depth + 1)]);
    }
    return Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
  };
  const value = isObject(given) || Array.isArray(given) ? copy(given, 0) : null;
  return { value, isShortened };
}
