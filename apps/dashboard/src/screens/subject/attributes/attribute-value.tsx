import { Text } from "@mantine/core";
import type { AttributeState } from "@muster/protocol/api/history";
import { showValue } from "../../../ui/text/show-value.js";
import { TimeText } from "../../../ui/text/time-text.js";

/** The value of an attribute. Dates are told from now; what has no value says so. */
export function AttributeValue({ value, type }: { value: unknown; type: AttributeState["type"] }) {
  if (type === "date" && typeof value === "string" && !Number.isNaN(Date.parse(value)))
    return <TimeText time={value} />;
  const isMissing = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return (
    <Text component="span" c={isMissing ? "dimmed" : undefined} fs={isMissing ? "italic" : undefined}>
      {showValue(value)}
    </Text>
  );
}
