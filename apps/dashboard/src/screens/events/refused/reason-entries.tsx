import { Anchor, Group, Text } from "@mantine/core";
import type { RejectedEntry } from "@muster/protocol/api/ingestion";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { useRejectedEntries } from "../../../api/ingestion/use-rejected-entries.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { type DataColumn, DataTable } from "../../../ui/table/data-table.js";
import { FilterBar } from "../../../ui/table/filter-bar.js";
import { FilterInput } from "../../../ui/table/filter-input.js";
import { formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { describeRejected } from "./describe-rejected.js";
import { ReasonActions } from "./reason-actions.js";
import { RejectedPanel } from "./rejected-panel.js";
import { StateSelect, useStateFilter } from "./state-select.js";

/** The entries that were rejected for one reason. */
export function ReasonEntries({ code, reason }: { code: string; reason: string }) {
  const navigate = useNavigate();
  const [text] = useUrlState("q");
  const [opened, setOpened] = useUrlState("rejected");
  const state = useStateFilter();
  const filter = { reason, ...(code ? { code } : {}), ...(text ? { text } : {}), ...state };
  const { data, error, refetch, isPlaceholderData } = useRejectedEntries(filter);
  const { entries = [], total = 0 } = data ?? {};
  // An empty list says that its entries were handled when it had some, and otherwise that none fits.
  const isEverything = text === "" && state.retried === false;
  const asked = JSON.stringify(filter);
  const wereListed = useRef("");
  if (total > 0 && !isPlaceholderData) wereListed.current = asked;
  const back = () =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, code: undefined, reason: undefined, rejected: undefined }),
    });
  return (
    <>
      <FilterBar>
        <Group gap="xs" w="100%" align="baseline">
          <Anchor component="button" type="button" size="sm" onClick={back}>
            All reasons
          </Anchor>
          <Text fw={500}>{reason}</Text>
        </Group>
        <StateSelect />
        <FilterInput name="q" label="Text within the entry" w={220} />
        <ReasonActions filter={filter} total={total} />
        {total > entries.length ? <Text c="dimmed">The latest {formatNumber(entries.length)} are shown.</Text> : null}
      </FilterBar>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <DataTable
          label="Rejected entries"
          columns={COLUMNS}
          rows={entries}
          rowKey={({ id }) => String(id)}
          onOpen={({ id }) => setOpened(String(id))}
          isOutdated={isPlaceholderData}
          empty={
            wereListed.current === asked || isEverything ? (
              <EmptyState title="No entry is left">All of them were retried or discarded.</EmptyState>
            ) : (
              <EmptyState title="No entry is found">No entry of this reason fits the choices above.</EmptyState>
            )
          }
        />
      ) : null}
      <RejectedPanel
        id={data ? opened : ""}
        entry={entries.find(({ id }) => String(id) === opened)}
        onClose={() => setOpened(undefined)}
      />
    </>
  );
}

const COLUMNS: readonly DataColumn<RejectedEntry>[] = [
  { id: "at", header: "Rejected", width: 120, cell: ({ rejected_at }) => <TimeText time={rejected_at} /> },
  { id: "what", header: "What", width: 220, cell: ({ entry }) => describeRejected(entry).content },
  { id: "who", header: "Who", width: 200, cell: ({ entry }) => describeRejected(entry).subject },
  {
    id: "retried",
    header: "Retried",
    width: 120,
    cell: ({ retried_at }) => (retried_at === null ? "not yet" : <TimeText time={retried_at} />),
  },
  { id: "message", header: "Reason", width: 380, cell: ({ message }) => message },
];
