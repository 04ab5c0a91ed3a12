import { Button, Stack, Table, Text } from "@mantine/core";
import { DAY_MS } from "@muster/protocol";
import { useMemo } from "react";
import { type AuditFilter, useAuditLog } from "../../../api/members/use-audit-log.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useTyped } from "../../../ui/state/use-typed.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import stacked from "../../../ui/table/stacked-table.module.css";
import { TimeText } from "../../../ui/text/time-text.js";
import { AuditFilters } from "./audit-filters.js";
import classes from "./audit-part.module.css";
import { auditSentence } from "./audit-sentence.js";
import { ChangeLines } from "./change-lines.js";
import { useObjectNames } from "./use-object-names.js";

const LINES = 6;
/** Every change that people have made: who, what, from what to what. */
export default function AuditPart() {
  const filter = useTyped(useAuditFilter());
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, isPlaceholderData } =
    useAuditLog(filter);
  const names = useObjectNames();
  const entries = data?.pages.flat();
  return (
    <Stack gap="md">
      <AuditFilters />
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {entries?.length === 0 ? (
        <EmptyState title="No change was made">
          {Object.keys(filter).length === 0
            ? "Every change that a person makes will be listed here."
            : "Nothing fits the filter. Remove a part of it to see more."}
        </EmptyState>
      ) : null}
      {entries?.length ? (
        <div data-outdated={isPlaceholderData || undefined} className={classes.list}>
          <Table aria-label="Audit log" verticalSpacing={6} className={`${stacked.table} ${classes.table}`}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={110}>When</Table.Th>
                <Table.Th w="24%">Who</Table.Th>
                <Table.Th w="28%">What</Table.Th>
                <Table.Th>Change</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entries.map((entry) => (
                <Table.Tr key={entry.id}>
                  <Table.Td>
                    <TimeText time={entry.happened_at} />
                  </Table.Td>
                  <Table.Td title={`From ${entry.address}`}>{entry.who}</Table.Td>
                  <Table.Td title={entry.action}>{auditSentence(entry)}</Table.Td>
                  <Table.Td>
                    <ChangeLines before={entry.before} after={entry.after} names={names} limit={LINES} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      ) : null}
      {hasNextPage ? (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show earlier changes
        </Button>
      ) : entries && entries.length > 0 ? (
        <Text c="dimmed">These are all changes.</Text>
      ) : null}
    </Stack>
  );
}

/** The filter in the address. A day is one of the viewer's time zone, and the last one is included. */
function useAuditFilter(): AuditFilter {
  const [member] = useUrlState("member");
  const [object] = useUrlState("object");
  const [from] = useUrlState("from");
  const [to] = useUrlState("to");
  return useMemo(
    () => ({
      ...(member === "" ? {} : { member_id: member }),
      ...(object === "" ? {} : { object_id: object }),
      ...(isDay(from) ? { from: startOf(from).toISOString() } : {}),
      ...(isDay(to) ? { to: new Date(startOf(to).getTime() + DAY_MS).toISOString() } : {}),
    }),
    [member, object, from, to],
  );
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(startOf(text).getTime());
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00`);
}
