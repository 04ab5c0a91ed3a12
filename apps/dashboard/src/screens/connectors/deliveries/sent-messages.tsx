import { Group, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import type { ConnectorTrace } from "@muster/protocol/api/deliveries";
import { useState } from "react";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { TRACES_PER_PAGE, useConnectorTraces } from "../../../api/deliveries/use-deliveries.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import stacked from "../../../ui/table/stacked-table.module.css";
import { formatDuration } from "../../../ui/text/format.js";
import { showResult } from "../../../ui/text/message-result.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { channelWords } from "../../../ui/text/words.js";
import { SubjectPicker } from "../subject-picker.js";
import classes from "./deliveries.module.css";
import { Pages } from "./pages.js";
import { SentMessagePanel } from "./sent-message-panel.js";
import { SubjectLink } from "./subject-link.js";

const MOST_COUNTED = 10_000;
/** The results by which the list can be narrowed. `open`: the connector took the message and did not say more. */
const FILTERS = [
  { value: "delivered", label: "Accepted" },
  { value: "failed", label: "Failed" },
  { value: "skipped", label: "Skipped" },
  { value: "open", label: "Result unknown" },
] as const;

/** Every message that was sent, the latest first. */
export function SentMessages({ connectorId }: { connectorId: string }) {
  const [person, setPerson] = useUrlState("person");
  const [result, setResult] = useUrlState("result", "all");
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useUrlState("message");
  const chosen = FILTERS.find(({ value }) => value === result)?.value;
  const filter = { entityId: person || undefined, result: chosen, page } as const;
  const { data, error, refetch, isPlaceholderData } = useConnectorTraces(connectorId, filter);
  const names = useSubjectNames(data?.traces.map(({ entity_id }) => entity_id) ?? []);
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <SubjectPicker
          entity="user"
          value={person}
          onChange={(id) => {
            setPerson(id);
            setPage(1);
          }}
          label="User"
          placeholder="All users"
        />
        <SegmentedControl
          aria-label="Result"
          data={[{ value: "all", label: "All" }, ...FILTERS]}
          value={chosen ?? "all"}
          onChange={(value) => {
            setResult(value);
            setPage(1);
          }}
        />
      </Group>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data?.traces.length === 0 ? (
        <EmptyState title="No message was sent">
          {person !== "" || chosen
            ? "None that matches was sent in the last 30 days."
            : "Messages appear here within a few seconds."}
        </EmptyState>
      ) : data === undefined && !error ? (
        <PageSkeleton />
      ) : (
        <div className={classes.list} data-outdated={isPlaceholderData || undefined}>
          <Table
            aria-label="Sent messages"
            className={`${stacked.table} ${classes.messages}`}
            verticalSpacing={4}
            borderColor="var(--line)"
            highlightOnHover
          >
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Sent</Table.Th>
                <Table.Th>About</Table.Th>
                <Table.Th>Channel</Table.Th>
                <Table.Th>Result</Table.Th>
                <Table.Th ta="right">Took</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data?.traces.map((trace) => (
                <Table.Tr key={keyOf(trace)}>
                  <Table.Td>
                    <button type="button" className={classes.open} onClick={() => setOpened(keyOf(trace))}>
                      <TimeText time={trace.sent_at} />
                    </button>
                  </Table.Td>
                  <Table.Td>
                    <SubjectLink id={trace.entity_id} name={names.get(trace.entity_id)} />
                  </Table.Td>
                  <Table.Td title={trace.channel}>{channelWords(trace.channel)}</Table.Td>
                  <Table.Td>
                    <Result trace={trace} />
                  </Table.Td>
                  <Table.Td className={classes.took} data-label="Took">
                    {formatDuration(trace.duration_ms)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          <Pages
            page={page}
            perPage={TRACES_PER_PAGE}
            total={data?.total ?? 0}
            onChange={setPage}
            mostCounted={MOST_COUNTED}
          />
        </div>
      )}
      <SentMessagePanel
        message={opened}
        trace={data?.traces.find((trace) => keyOf(trace) === opened)}
        connectorId={connectorId}
        onClose={() => setOpened(undefined)}
      />
    </Stack>
  );
}

/** A message in the address: its call and its id. */
function keyOf({ notification_id, message_id }: ConnectorTrace): string {
  return `${notification_id}.${message_id}`;
}

function Result({ trace }: { trace: ConnectorTrace }) {
  const { status, word, detail } = showResult(trace);
  return (
    <StatusDot status={status}>
      {word}
      {detail === "" ? null : (
        <Text component="span" c="dimmed" className={classes.cause}>
          {" "}
          {detail}
        </Text>
      )}
    </StatusDot>
  );
}
