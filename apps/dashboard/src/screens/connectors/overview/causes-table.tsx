import { Table, Text } from "@mantine/core";
import type { DeliveryFigures } from "@muster/protocol/api/deliveries";
import { TextLink } from "../../../ui/page/text-link.js";
import { formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import classes from "./overview.module.css";

/** Failed calls by their cause. Those that led to dead letters are on the tab of the deliveries. */
export function CausesTable({ causes }: { causes: DeliveryFigures["causes"] }) {
  if (causes.length === 0) return <Text c="dimmed">No call failed in this time.</Text>;
  return (
    <>
      <Table aria-label="Failed calls by cause" verticalSpacing={6} borderColor="var(--line)">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Cause</Table.Th>
            <Table.Th ta="right">Calls</Table.Th>
            <Table.Th ta="right">Messages</Table.Th>
            <Table.Th>Last</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {causes.map(({ cause, calls, messages, last_at }) => (
            <Table.Tr key={cause}>
              <Table.Td className={classes.cause}>{cause}</Table.Td>
              <Table.Td ta="right">{formatNumber(calls)}</Table.Td>
              <Table.Td ta="right">{formatNumber(messages)}</Table.Td>
              <Table.Td>
                <TimeText time={last_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <TextLink to="." search={(before) => ({ ...before, tab: "deliveries", view: "sent", result: "failed" })}>
        Show the failed messages
      </TextLink>
    </>
  );
}
