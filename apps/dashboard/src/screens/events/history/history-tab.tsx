import { Button, Text } from "@mantine/core";
import type { Event } from "@muster/protocol/api/events";
import { useCallback, useMemo } from "react";
import { useEvents } from "../../../api/audience/use-events.js";
import { useReportFields } from "../../../api/audience/use-report-fields.js";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { DataTable } from "../../../ui/table/data-table.js";
import { FilterBar } from "../../../ui/table/filter-bar.js";
import { FilterInput } from "../../../ui/table/filter-input.js";
import { FilterSelect } from "../../../ui/table/filter-select.js";
import { formatCount } from "../../../ui/text/format.js";
import { changesIn } from "./changes-in.js";
import { EventPanel } from "./event-panel.js";
import { historyColumns } from "./history-columns.js";
import { historyQuery } from "./history-query.js";

const TIMES = [
  { value: "now-1h", label: "Last hour" },
  { value: "now-1d", label: "Last 24 hours" },
  { value: "now-7d", label: "Last 7 days" },
  { value: "now-30d", label: "Last 30 days" },
  { value: "now-365d", label: "Last 365 days" },
];
// The names of more people are not asked for at once: the list shows their ids.
const MAX_NAMED = 500;

/** The stored events, the latest first. */
export function HistoryTab() {
  const [event] = useUrlState("event");
  const [user] = useUrlState("user");
  const [property] = useUrlState("property");
  const [value] = useUrlState("value");
  const [since, setSince] = useUrlState("since", "", { replace: true });
  const [opened, setOpened] = useUrlState("open");
  const query = useMemo(
    () => historyQuery({ event, user, property, value, since }),
    [event, user, property, value, since],
  );
  const { data, error, refetch, isPlaceholderData, isFetching, hasNextPage, fetchNextPage } = useEvents(query);
  const rows = useMemo(() => data?.pages.flatMap(({ events }) => events) ?? [], [data]);
  const ids = useMemo(() => namedIn(rows), [rows]);
  const names = useSubjectNames(ids);
  const { data: ofUsers } = useReportFields("user");
  const { data: ofAccounts } = useReportFields("account");
  const changesOf = useCallback(
    (one: Event) => changesIn(one, { user: ofUsers ?? [], account: ofAccounts ?? [] }),
    [ofUsers, ofAccounts],
  );
  const columns = useMemo(() => historyColumns(names, changesOf), [names, changesOf]);
  const shown = rows.find(({ id }) => id === opened);
  const total = data?.pages[0]?.total;
  const isFiltered = [event, user, property, since].some((text) => text !== "");
  return (
    <>
      <FilterBar>
        <FilterInput name="event" label="Event name" w={160} />
        <FilterInput name="user" label="E-mail or ID of a user" w={190} />
        <FilterInput name="property" label="Property" w={130} />
        <FilterInput name="value" label="Its value" w={130} disabled={property === ""} />
        <FilterSelect aria-label="Time" placeholder="Any time" w={150} data={TIMES} value={since} onChange={setSince} />
        <Button variant="default" loading={isFetching && !isPlaceholderData} onClick={() => void refetch()}>
          Refresh
        </Button>
        {total === undefined ? null : <Text c="dimmed">{formatCount(total, "event")}</Text>}
      </FilterBar>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <DataTable
          label="Stored events"
          columns={columns}
          rows={rows}
          rowKey={({ id, event: name }) => `${id} ${name}`}
          onOpen={({ id }) => setOpened(id)}
          isOutdated={isPlaceholderData}
          onEnd={() => {
            if (hasNextPage) void fetchNextPage();
          }}
          empty={
            <EmptyState title={isFiltered ? "No event matches" : "No event was recorded yet"}>
              {isFiltered
                ? "The name must be exact. A property without a value finds all events that have it."
                : "Send one with the browser library, a connector or an import. The tab Live shows it as it arrives."}
            </EmptyState>
          }
        />
      ) : error ? null : (
        <PageSkeleton lines={12} />
      )}
      <EventPanel
        event={shown}
        names={names}
        changes={shown && changesOf(shown)}
        onClose={() => setOpened(undefined)}
      />
    </>
  );
}

function namedIn(rows: readonly { user_id: string; account_id: string | null }[]): string[] {
  const ids = new Set<string>();
  for (const { user_id, account_id } of rows) {
    if (ids.size >= MAX_NAMED) break;
    if (user_id !== "") ids.add(user_id);
    if (account_id !== null) ids.add(account_id);
  }
  return [...ids];
}
