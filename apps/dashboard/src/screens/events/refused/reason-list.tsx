import { Text } from "@mantine/core";
import type { RejectedReason } from "@muster/protocol/api/ingestion";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useConnectorNames } from "../../../api/connectors/use-connector-names.js";
import { useRejectedReasons } from "../../../api/ingestion/use-rejected-entries.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { type DataColumn, DataTable } from "../../../ui/table/data-table.js";
import { FilterBar } from "../../../ui/table/filter-bar.js";
import { FilterInput } from "../../../ui/table/filter-input.js";
import { formatCount, formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { StateSelect, useStateFilter } from "./state-select.js";

/** Why entries could not be applied, with the number of entries for each reason. */
export function ReasonList() {
  const [text] = useUrlState("q");
  const state = useStateFilter();
  const navigate = useNavigate();
  const names = useConnectorNames();
  const columns = useMemo(() => reasonColumns(names), [names]);
  const { data, error, refetch, isPlaceholderData } = useRejectedReasons({ ...state, ...(text ? { text } : {}) });
  const { reasons = [], total = 0 } = data ?? {};
  const count = reasons.reduce((sum, reason) => sum + reason.count, 0);
  return (
    <>
      <FilterBar>
        <StateSelect />
        <FilterInput name="q" label="Text within the entry" w={220} />
        {data ? (
          <Text c="dimmed">
            {formatCount(count, "entry", "entries")}
            {total > reasons.length
              ? ` for ${formatNumber(reasons.length)} of ${formatNumber(total)} reasons: no others are shown`
              : ""}
          </Text>
        ) : null}
      </FilterBar>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <DataTable
          label="Reasons"
          columns={columns}
          rows={reasons}
          rowKey={({ code, reason }) => `${code} ${reason}`}
          isOutdated={isPlaceholderData}
          onOpen={({ code, reason }) => void navigate({ to: ".", search: (before) => ({ ...before, code, reason }) })}
          empty={
            <EmptyState title="No entry waits here">
              Entries that were accepted and could not be applied are listed here by reason. Entries that are refused at
              once are stored nowhere: the tab Live shows them as they arrive.
            </EmptyState>
          }
        />
      ) : error ? null : (
        <PageSkeleton />
      )}
    </>
  );
}

function reasonColumns(connectorNames: ReadonlyMap<string, string>): DataColumn<RejectedReason>[] {
  return [
    { id: "count", header: "Entries", width: 90, align: "right", cell: ({ count }) => formatNumber(count) },
    { id: "reason", header: "Reason", width: 520, cell: ({ reason }) => reason },
    { id: "last", header: "Last", width: 110, cell: ({ last_at }) => <TimeText time={last_at} /> },
    { id: "first", header: "First", width: 110, cell: ({ first_at }) => <TimeText time={first_at} /> },
    {
      id: "connectors",
      header: "From",
      width: 160,
      cell: ({ connector_ids }) => connector_ids.map((id) => connectorNames.get(id) ?? id).join(", "),
    },
  ];
}
