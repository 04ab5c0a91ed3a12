import { Text } from "@mantine/core";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { useConnectorNames } from "../../api/connectors/use-connector-names.js";

/** Who wrote the first value. */
export function AttributeSource({ attribute: { source, standard } }: { attribute: AttributeFigure }) {
  const names = useConnectorNames();
  if (standard)
    return (
      <Text span inherit c="dimmed">
        Standard field
      </Text>
    );
  if (!source)
    return (
      <Text span inherit c="dimmed">
        By hand or an import
      </Text>
    );
  const name = names.get(source.connector_id) ?? source.connector_id;
  return <>{source.job_id === null ? name : `${name}, by an import`}</>;
}
