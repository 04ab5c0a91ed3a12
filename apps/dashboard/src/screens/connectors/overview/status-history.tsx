import { Table, Text } from "@mantine/core";
import { useStatusHistory } from "../../../api/deliveries/use-deliveries.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { type Status, StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";

const DOTS: Record<string, Status> = { ok: "good", warning: "late", error: "bad", setupRequired: "late" };
const WORDS: Record<string, string> = {
  ok: "Working",
  warning: "Warning",
  error: "Error",
  setupRequired: "To be set up",
};
const SOURCES: Record<string, string> = {
  install: "when it was installed",
  connector: "by the connector",
  poll: "when it was asked",
  operator: "by a person",
};

/** The statuses that the connector had, the latest first. */
export function StatusHistory({ connectorId }: { connectorId: string }) {
  const { data, error, refetch } = useStatusHistory(connectorId);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  if (data.length === 0) return <Text c="dimmed">The connector has not reported a status yet.</Text>;
  return (
    <Table aria-label="Status history" verticalSpacing={6} borderColor="var(--line)">
      <Table.Tbody>
        {data.map(({ status, messages, source, created_at }) => (
          <Table.Tr key={created_at}>
            <Table.Td w={130}>
              <StatusDot status={DOTS[status] ?? "unknown"}>{WORDS[status] ?? status}</StatusDot>
            </Table.Td>
            <Table.Td>{messages.join(" ")}</Table.Td>
            <Table.Td c="dimmed">
              <TimeText time={created_at} />, {SOURCES[source] ?? source}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
