import { Button, Text } from "@mantine/core";
import type { RecentFilter } from "@muster/protocol/api/ingestion";
import { useMemo, useState } from "react";
import { useConnectorNames } from "../../../api/connectors/use-connector-names.js";
import { useRecentEntries } from "../../../api/ingestion/use-recent-entries.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { TextLink } from "../../../ui/page/text-link.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { DataTable } from "../../../ui/table/data-table.js";
import { FilterBar } from "../../../ui/table/filter-bar.js";
import { FilterInput } from "../../../ui/table/filter-input.js";
import { FilterSelect } from "../../../ui/table/filter-select.js";
import { formatCount } from "../../../ui/text/format.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { EntryPanel } from "./entry-panel.js";
import { recentColumns } from "./recent-columns.js";

const VERDICTS = [
  { value: "accepted", label: "Accepted" },
  { value: "duplicate", label: "Duplicate" },
  { value: "refused", label: "Refused" },
  { value: "rejected", label: "Rejected" },
];
const TYPES = [
  { value: "track", label: "Events" },
  { value: "traits", label: "Attributes" },
  { value: "alias", label: "Identifiers added" },
  { value: "unalias", label: "Identifiers removed" },
  { value: "incinerate", label: "Erasures" },
];

/** The entries as they arrive, each with what became of it. */
export function LiveTab() {
  const { id: org } = useOrganization();
  const [outcome, setOutcome] = useUrlState("outcome", "", { replace: true });
  const [type, setType] = useUrlState("type", "", { replace: true });
  const [connector, setConnector] = useUrlState("connector", "", { replace: true });
  const [event] = useUrlState("event");
  const [user] = useUrlState("user");
  const [opened, setOpened] = useUrlState("entry");
  const [pausedAt, setPausedAt] = useState<number>();
  const isPaused = pausedAt !== undefined;
  const names = useConnectorNames();
  const filter = useMemo(
    () => givenOf({ outcome, type, connector_id: connector, event, user }),
    [outcome, type, connector, event, user],
  );
  const { data, error, refetch } = useRecentEntries(filter, { pausedAt });
  const columns = useMemo(() => recentColumns(names), [names]);
  const rows = data?.rows ?? [];
  return (
    <>
      <FilterBar>
        <Button variant="default" onClick={() => setPausedAt(isPaused ? undefined : Date.now())}>
          {isPaused ? "Go on" : "Pause"}
        </Button>
        <FilterSelect
          aria-label="Verdict"
          placeholder="Any verdict"
          w={130}
          data={VERDICTS}
          value={outcome}
          onChange={setOutcome}
        />
        <FilterSelect aria-label="Type" placeholder="Any type" w={140} data={TYPES} value={type} onChange={setType} />
        <FilterInput name="event" label="Event name" w={150} />
        <FilterInput name="user" label="E-mail or ID of a user" w={180} />
        <FilterSelect
          aria-label="Connector"
          placeholder="Any connector"
          w={160}
          searchable
          data={[...names].map(([value, label]) => ({ value, label }))}
          value={connector}
          onChange={setConnector}
        />
        {isPaused ? (
          <StatusDot status="late">Paused: filters look through what has arrived so far</StatusDot>
        ) : (
          <StatusDot status={error ? "bad" : "good"}>{error ? "Not connected" : "Watching"}</StatusDot>
        )}
      </FilterBar>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data?.missed || data?.hasGap ? (
        <Text size="xs" c="dimmed" px="lg" py={4}>
          {[
            data.missed ? `${formatCount(data.missed, "entry", "entries")} came too fast to be shown.` : "",
            data.hasGap ? "While nobody looked, entries were not kept: this list has a gap." : "",
          ].join(" ")}
        </Text>
      ) : null}
      <DataTable
        label="Arriving entries"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => String(id)}
        onOpen={({ id }) => setOpened(String(id))}
        empty={
          <EmptyState title={isPaused ? "Nothing of this kind came before the pause" : "Waiting for entries…"}>
            Entries show here as they arrive, also those that are refused. What came before you opened this page is in{" "}
            <TextLink inherit to="/o/$org/events" params={{ org }} search={{ tab: "history" }}>
              the history
            </TextLink>
            .
          </EmptyState>
        }
      />
      <EntryPanel
        id={opened}
        entry={rows.find(({ id }) => String(id) === opened)}
        onClose={() => setOpened(undefined)}
      />
    </>
  );
}

function givenOf(filter: Record<string, string>): RecentFilter {
  // The address may hold anything: the server says so when it is no verdict or type.
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}
