import type { Param, Statement } from "@muster/query";

/** Parameter values in the form that the ClickHouse client expects. */
export type ClientParams = Record<string, unknown>;

/** Numbers are sent as text, so that they do not lose precision. The client escapes lists of text. */
export function clientParams(params: Statement["params"]): ClientParams {
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, clientValue(param)]));
}

function clientValue({ type, value }: Param): string | string[] {
  if (typeof value !== "object") return String(value);
  return type === "text" || type === "id" ? value.map(String) : `[${value.join(",")}]`;
}
