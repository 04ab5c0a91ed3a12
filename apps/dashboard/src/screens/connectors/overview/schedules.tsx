import { Table } from "@mantine/core";
import type { Schedule } from "@muster/protocol/api/connectors";
import { useSchedules } from "../../../api/connectors/use-schedules.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { formatDuration } from "../../../ui/text/format.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";
import classes from "./overview.module.css";
import { Section } from "./section.js";
import { timingWords } from "./timing-words.js";

/** What Muster calls again and again, as the manifest asks for it. Connectors without such calls have no such part. */
export function Schedules({ connectorId }: { connectorId: string }) {
  const { data: schedules, error, refetch } = useSchedules(connectorId);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!schedules || schedules.length === 0) return null;
  return (
    <Section title="Recurring calls">
      <div className={classes.scrolls}>
        <Table aria-label="Recurring calls" verticalSpacing={6} borderColor="var(--line)">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Called</Table.Th>
              <Table.Th>When</Table.Th>
              <Table.Th>Next</Table.Th>
              <Table.Th>Last</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {schedules.map((schedule) => (
              <Table.Tr key={`${schedule.kind} ${schedule.url}`}>
                <Table.Td className={classes.cause}>
                  {schedule.url}
                  {schedule.kind === "status" ? " (for its status)" : ""}
                </Table.Td>
                <Table.Td>{timingWords(schedule.timing)}</Table.Td>
                <Table.Td>
                  <TimeText time={schedule.due_at} />
                </Table.Td>
                <Table.Td>
                  <LastRun schedule={schedule} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  );
}

function LastRun({
  schedule: { last_run_at: at, last_result: result, last_duration_ms: duration },
}: {
  schedule: Schedule;
}) {
  if (at === null) return <StatusDot status="unknown">not yet</StatusDot>;
  const took = duration === null ? "" : `, took ${formatDuration(duration)}`;
  return (
    <StatusDot status={result === "ok" ? "good" : "bad"}>
      {result ?? "unknown"}, <TimeText time={at} />
      {took}
    </StatusDot>
  );
}
