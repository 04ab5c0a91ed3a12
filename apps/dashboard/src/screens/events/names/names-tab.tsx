import { Text } from "@mantine/core";
import { useMemo } from "react";
import { useEventNames } from "../../../api/use-event-names.js";
import { DataTable } from "../../../ui/data-table.js";
import { EmptyState } from "../../../ui/empty-state.js";
import { ErrorNote } from "../../../ui/error-note.js";
import { FilterBar } from "../../../ui/filter-bar.js";
import { FilterInput } from "../../../ui/filter-input.js";
import { formatCount } from "../../../ui/format.js";
import { useUrlSort } from "../../../ui/use-url-sort.js";
import { useUrlState } from "../../../ui/use-url-state.js";
import { EventNamePanel } from "./event-name-panel.js";
import { NAME_COLUMNS } from "./name-columns.js";

const ORDERS = { name: "name", last: "last", month: "volume" } as const;

/** The names of events, with how often each was recorded lately. */
export function NamesTab() {
  const [text] = useUrlState("q");
  const [opened, setOpened] = useUrlState("name");
  const [sort, setSort] = useUrlSort({ column: "month", direction: "desc" });
  const order = ORDERS[sort.column as keyof typeof ORDERS] ?? "volume";
  const { data, error, refetch, isPlaceholderData, hasNextPage, fetchNextPage } = useEventNames({ text, order });
  const rows = useMemo(() => data?.pages.flatMap(({ names }) => names) ?? [], [data]);
  const total = data?.pages[0]?.total;
  return (
    <>
      <FilterBar>
        <FilterInput name="q" label="Find an event" w={240} />
        {total === undefined ? null : <Text c="dimmed">{formatCount(total, "event name")}</Text>}
      </FilterBar>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <DataTable
          label="Event names"
          columns={NAME_COLUMNS}
          rows={rows}
          rowKey={({ name }) => name}
          onOpen={({ name }) => setOpened(name)}
          sort={{ column: sort.column, direction: sort.column === "name" ? "asc" : "desc" }}
          onSort={({ column }) => setSort({ column, direction: column === "name" ? "asc" : "desc" })}
          isOutdated={isPlaceholderData}
          onEnd={() => {
            if (hasNextPage) void fetchNextPage();
          }}
          empty={
            <EmptyState title={text === "" ? "No event was recorded yet" : "No event has this name"}>
              {text === ""
                ? "Send one with the browser library, a connector or an import. The tab Live shows it as it arrives."
                : "Part of the name is enough, in any case."}
            </EmptyState>
          }
        />
      ) : null}
      <EventNamePanel
        name={opened}
        volume={rows.find(({ name }) => name === opened)}
        onClose={() => setOpened(undefined)}
      />
    </>
  );
}
