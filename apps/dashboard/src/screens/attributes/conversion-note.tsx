import { List, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { ConversionPreview } from "@muster/protocol/api/attributes";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { showValue } from "../../ui/text/show-value.js";

/** What a change of the type would do. */
export function ConversionNote({ preview, subjectType }: { preview: ConversionPreview; subjectType: SubjectType }) {
  const { total, checked, converted, lost, examples, segments } = preview;
  return (
    <Stack gap={4}>
      <Text>
        {checked < total ? `Of ${formatNumber(checked)} values that were read: ` : ""}
        {formatCount(converted, "value")} can be converted, {formatNumber(lost)} cannot and would be lost.{" "}
        {checked < total ? `${formatCount(total, subjectType)} have a value.` : ""}
      </Text>
      {examples.length === 0 ? null : (
        <List size="sm" aria-label="Values that cannot be converted">
          {examples.map(({ id, value, reason }) => (
            <List.Item key={id}>
              {showValue(value)}: {reason}
            </List.Item>
          ))}
        </List>
      )}
      {segments.length === 0 ? null : (
        <Text>Segments that ask for it: {segments.map(({ name }) => name).join(", ")}. Look at them afterwards.</Text>
      )}
    </Stack>
  );
}
