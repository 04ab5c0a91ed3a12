import { useMemo } from "react";
import { useSegments } from "../../../api/audience/use-segments.js";
import { useConnectorNames } from "../../../api/connectors/use-connector-names.js";

/** The names of connectors and segments by their ids. */
export function useObjectNames(): ReadonlyMap<string, string> {
  const connectors = useConnectorNames();
  const { data: segments } = useSegments({ isLive: false });
  return useMemo(
    () => new Map([...connectors, ...(segments ?? []).map(({ id, name }) => [id, name] as const)]),
    [connectors, segments],
  );
}
