import { Refusal } from "@muster/protocol";
import { parse } from "qs";

const JSON_PARAMETERS = ["query", "filter", "sort", "sorting", "aggs", "aggregations", "search_after"];
const MAX_DEPTH = 30;
const MAX_PARAMETERS = 1_000;

/**
 * Reads the parameters of a search from a URL. Objects are JSON (`query={"term":…}`) or in brackets
 * (`query[term][plan]=pro`), which is how clients write the objects that they are given. Values in brackets are text,
 * which a query reads by the type of the attribute.
 */
export function readSearchQueryString(url: string): Record<string, unknown> {
  const start = url.indexOf("?");
  if (start === -1) return {};
  return Object.fromEntries(
    Object.entries(parameters(url.slice(start + 1))).map(([name, value]) => {
      return [name, JSON_PARAMETERS.includes(name) && typeof value === "string" ? readJson(name, value) : value];
    }),
  );
}

function parameters(queryString: string): Record<string, unknown> {
  try {
    return parse(queryString, {
      depth: MAX_DEPTH,
      strictDepth: true,
      parameterLimit: MAX_PARAMETERS,
      arrayLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
    });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const limits = `at most ${MAX_DEPTH} brackets deep and ${MAX_PARAMETERS} parameters long`;
    throw new Refusal("invalid_parameter", `The query string must be ${limits}. Send a larger search with POST.`, {
      cause,
    });
  }
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refusal("invalid_parameter", `${name} is not valid JSON.`, {
      details: [{ path: `query.${name}`, message: "is not valid JSON" }],
    });
  }
}
