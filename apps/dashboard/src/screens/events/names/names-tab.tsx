import { Checkbox, Text } from "@mantine/core";
import { Suspense, useMemo } from "react";
import { useEventNames } from "../../../api/audience/use-event-names.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { lazyPart } from "../../../ui/state/lazy-part.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { DataTable } from "../../../ui/table/data-table.js";
import { FilterBar } from "../../../ui/table/filter-bar.js";
import { FilterInput } from "../../../ui/table/filter-input.js";
import { useUrlSort } from "../../../ui/table/use-url-sort.js";
import { formatCount } from "../../../ui/text/format.js";
import { NAME_COLUMNS } from "./name-columns.js";

// With its charts and forms it is larger than the list.
const EventNamePanel = lazyPart(() => import("./event-name-panel.js"), "EventNamePanel");

const ORDERS = { name: "name", last: "last", month: "volume" } as const;

/** The names of events, with how often each was recorded lately. */
export function NamesTab() {
  const [text] = useUrlState("q");
  const [hidden, setHidden] = useUrlState("hidden", "", { replace: true });
  const [opened, setOpened] = useUrlState("name");
  const [sort, setSort] = useUrlSort({ column: "month", direction: "desc" });
  const order = ORDERS[sort.column as keyof typeof ORDERS] ?? "volume";
  const { data, error, refetch, isPlaceholderData, hasNextPage, fetchNextPage } = useEventNames({
    text,
    order,
    withHidden: hidden !== "",
  });
  const rows = useMemo(() => data?.pages.flatMap(({ names }) => names) ?? [], [data]);
  const total = data?.pages[0]?.total;
  return (
    <>
      <FilterBar>
        <FilterInput name="q" label="Find an event" w={240} />
        <Checkbox
          label="Hidden ones too"
          checked={hidden !== ""}
          onChange={({ currentTarget }) => setHidden(currentTarget.checked ? "1" : undefined)}
        />
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
      ) : error ? null : (
        <PageSkeleton />
      )}
      {opened === "" ? null : (
        <Suspense fallback={null}>
          <EventNamePanel
            name={opened}
            volume={rows.find(({ name }) => name === opened)}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
