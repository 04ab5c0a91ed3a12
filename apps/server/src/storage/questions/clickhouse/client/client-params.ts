import type { Param, Statement } from "@muster/query";

/** Values as the ClickHouse client sends them. */
export type ClientParams = Record<string, unknown>;

/** Numbers travel as text, so that none loses its precision on the way; lists of text are escaped by the client. */
export function clientParams(params: Statement["params"]): ClientParams {
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, clientValue(param)]));
}

function clientValue({ type, value }: Param): string | string[] {
  if (typeof value !== "object") return String(value);
  return type === "text" || type === "id" ? value.map(String) : `[${value.join(",")}]`;
}
