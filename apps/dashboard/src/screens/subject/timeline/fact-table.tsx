import { Table, Text } from "@mantine/core";
import { showValue } from "../../../ui/text/show-value.js";

/** Names and values. Those without a value are left out. */
export function FactTable({ values, empty }: { values: Record<string, unknown>; empty: string }) {
  const rows = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  return (
    <Table verticalSpacing={4} layout="fixed">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w="35%" fw={400} c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: "anywhere" }}>{showValue(value)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
