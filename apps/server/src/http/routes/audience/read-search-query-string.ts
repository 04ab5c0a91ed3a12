import { Refusal } from "@muster/protocol";
import { notValidJson } from "../../../runtime/json/malformed-json.js";
import { readBrackets } from "../read-brackets.js";

const JSON_PARAMETERS = ["query", "filter", "sort", "sorting", "aggs", "aggregations", "search_after"];

/**
 * Reads the parameters of a search from a URL. Objects are JSON (`query={"term":…}`) or in brackets
 * (`query[term][plan]=pro`), which is how clients write the objects that they are given. Values in brackets are text,
 * which a query reads by the type of the attribute.
 */
export function readSearchQueryString(url: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(readBrackets(url)).map(([name, value]) => {
      return [name, JSON_PARAMETERS.includes(name) && typeof value === "string" ? readJson(name, value) : value];
    }),
  );
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const message = notValidJson(text);
    throw new Refusal("invalid_parameter", `${name} ${message}.`, {
      details: [{ path: `query.${name}`, message }],
    });
  }
}
