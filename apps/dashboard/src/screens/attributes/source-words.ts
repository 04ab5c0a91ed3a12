import type { AttributeFigure } from "@muster/protocol/api/attributes";

/** Who wrote the first value. */
export function sourceWords(
  { source, standard }: AttributeFigure,
  connectorNames: ReadonlyMap<string, string>,
): string {
  if (standard) return "Standard field";
  if (!source) return "By hand or an import";
  const name = connectorNames.get(source.connector_id) ?? source.connector_id;
  return source.job_id === null ? name : `${name}, by an import`;
}
