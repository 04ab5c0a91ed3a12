import { Text } from "@mantine/core";
import type { EventVolume } from "@muster/protocol/api/events";
import { Sparkline } from "../../../ui/charts/sparkline.js";
import type { DataColumn } from "../../../ui/table/data-table.js";
import { formatCount, formatNumber } from "../../../ui/text/format.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { sourcesInWords } from "./sources-in-words.js";

/** The columns of the table of event names. */
export const NAME_COLUMNS: readonly DataColumn<EventVolume>[] = [
  {
    id: "name",
    header: "Name",
    width: 240,
    isSortable: true,
    cell: ({ name, hidden }) => (hidden ? `${name} (hidden)` : name),
  },
  {
    id: "days",
    header: "Last 30 days",
    width: 130,
    cell: ({ days, last_30_days }) => (
      <Sparkline values={days} label={`${formatCount(last_30_days, "event")} in the last 30 days`} />
    ),
  },
  { id: "day", header: "24 h", width: 80, align: "right", cell: ({ last_24_hours }) => formatNumber(last_24_hours) },
  { id: "week", header: "7 days", width: 85, align: "right", cell: ({ last_7_days }) => formatNumber(last_7_days) },
  {
    id: "month",
    header: "30 days",
    width: 90,
    align: "right",
    isSortable: true,
    cell: ({ last_30_days }) => formatNumber(last_30_days),
  },
  { id: "all", header: "All", width: 90, align: "right", cell: ({ count }) => formatNumber(count) },
  { id: "last", header: "Last", width: 110, isSortable: true, cell: ({ last_at }) => <TimeText time={last_at} /> },
  { id: "first", header: "First", width: 110, cell: ({ first_at }) => <TimeText time={first_at} /> },
  {
    id: "plan",
    header: "Plan",
    width: 130,
    cell: ({ planned, problems }) => {
      if (!planned) return "–";
      if (problems === 0) return "followed";
      return <StatusDot status="late">{formatCount(problems, "problem")}</StatusDot>;
    },
  },
  {
    id: "description",
    header: "Description",
    width: 260,
    cell: ({ description, owner }) => (
      <Text span inherit c="dimmed">
        {[description, owner === "" ? "" : `(${owner})`].filter((text) => text !== "").join(" ")}
      </Text>
    ),
  },
  {
    id: "sources",
    header: "Sources",
    width: 130,
    cell: ({ sources }) => (
      <Text span inherit c="dimmed">
        {sourcesInWords(sources)}
      </Text>
    ),
  },
];
