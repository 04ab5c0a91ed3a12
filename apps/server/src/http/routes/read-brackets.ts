import { Refusal } from "@muster/protocol";
import { parse } from "qs";

const MAX_DEPTH = 30;
const MAX_PARAMETERS = 1_000;

/**
 * Reads the query string of a URL with objects in brackets (`query[term][plan]=pro`). What cannot be read is refused: a
 * filter that is left out without a word finds more than was asked for.
 */
export function readBrackets(url: string): Record<string, unknown> {
  const start = url.indexOf("?");
  if (start === -1) return {};
  try {
    return parse(url.slice(start + 1), {
      depth: MAX_DEPTH,
      strictDepth: true,
      parameterLimit: MAX_PARAMETERS,
      arrayLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
      // Names such as `constructor` are own members of the objects then, as in a body of JSON.
      allowPrototypes: true,
      decoder: decodeUsable,
    });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const limits = `at most ${MAX_DEPTH} brackets deep and ${MAX_PARAMETERS} parameters long`;
    throw new Refusal("invalid_parameter", `The query string must be ${limits}. Send a larger search with POST.`, {
      cause,
    });
  }
}

/** The library leaves this one name out, whatever its options are. */
const UNUSABLE_NAME = "__proto__";

function decodeUsable(text: string, decode: (text: string) => string, _charset: string, type: "key" | "value"): string {
  const decoded = decode(text);
  if (type === "key" && decoded.includes(UNUSABLE_NAME)) {
    throw new Refusal(
      "invalid_parameter",
      `The query string contains the name ${UNUSABLE_NAME}, which cannot be used.`,
    );
  }
  return decoded;
}
