import { Badge, Table } from "@mantine/core";
import { useState } from "react";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { LETTERS_PER_PAGE, useDeadLetters } from "../../../api/deliveries/use-dead-letters.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { channelWords } from "../../../ui/text/words.js";
import classes from "./deliveries.module.css";
import { Pages } from "./pages.js";
import { SubjectLink } from "./subject-link.js";

interface DeadLetterListProps {
  connectorId: string;
  cause: string;
  onOpen: (id: number) => void;
}

/** The dead letters of one group, the latest first. */
export function DeadLetterList({ connectorId, cause, onOpen }: DeadLetterListProps) {
  const [page, setPage] = useState(1);
  const { data, error, refetch, isPlaceholderData } = useDeadLetters(connectorId, cause, page);
  const names = useSubjectNames(data?.letters.map(({ entity_id }) => entity_id) ?? []);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <div className={classes.list} data-outdated={isPlaceholderData || undefined}>
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label="Dead letters" verticalSpacing={4} borderColor="var(--line)" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Message</Table.Th>
              <Table.Th>About</Table.Th>
              <Table.Th>Channel</Table.Th>
              <Table.Th ta="right">Attempts</Table.Th>
              <Table.Th>Given up</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.letters.map(({ id, entity_id, channel, attempts, created_at, edited_by }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <button type="button" className={classes.open} onClick={() => onOpen(id)}>
                    Message {id}
                  </button>{" "}
                  {edited_by === null ? null : <Badge color="gray">edited by {edited_by}</Badge>}
                </Table.Td>
                <Table.Td>
                  <SubjectLink id={entity_id} name={names.get(entity_id)} />
                </Table.Td>
                <Table.Td title={channel}>{channelWords(channel)}</Table.Td>
                <Table.Td ta="right">{formatNumber(attempts)}</Table.Td>
                <Table.Td>
                  <TimeText time={created_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pages page={page} perPage={LETTERS_PER_PAGE} total={data.total} onChange={setPage} />
    </div>
  );
}
