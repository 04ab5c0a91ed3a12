import { useMemo } from "react";
import { useConnectors } from "./use-connectors.js";

/** The names of the organization's connectors, by id. */
export function useConnectorNames(): ReadonlyMap<string, string> {
  const { data } = useConnectors();
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}
