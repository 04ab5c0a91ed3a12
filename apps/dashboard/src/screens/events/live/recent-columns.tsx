import { Group, Text } from "@mantine/core";
import type { RecentEntry } from "@muster/protocol/api/ingestion";
import type { DataColumn } from "../../../ui/table/data-table.js";
import { formatClock, formatTime } from "../../../ui/text/format.js";
import { Tip } from "../../../ui/text/tip.js";
import { subjectOf } from "../subject-of.js";
import { contentOf, typeInWords } from "./describe-entry.js";
import { OutcomeMark } from "./outcome-mark.js";

const SOURCES = { connector: "connector", browser: "browser", import: "import" } as const;

/** The columns of the arriving entries. */
export function recentColumns(connectorNames: ReadonlyMap<string, string>): DataColumn<RecentEntry>[] {
  return [
    {
      id: "at",
      header: "Time",
      width: 90,
      cell: ({ at }) => (
        <Tip label={formatTime(at)}>
          <time dateTime={at}>{formatClock(at)}</time>
        </Tip>
      ),
    },
    {
      id: "outcome",
      header: "Verdict",
      width: 110,
      cell: ({ outcome }) => (
        <Group h={33}>
          <OutcomeMark outcome={outcome} />
        </Group>
      ),
    },
    { id: "content", header: "What", width: 180, cell: contentOf },
    {
      id: "subject",
      header: "Who",
      width: 190,
      cell: (entry) =>
        subjectOf(entry) ?? (
          <Text span inherit c="dimmed">
            unknown
          </Text>
        ),
    },
    {
      id: "reason",
      header: "Reason",
      width: 290,
      cell: ({ message }) => (
        <Text span inherit c="dimmed">
          {message ?? ""}
        </Text>
      ),
    },
    { id: "type", header: "Type", width: 95, cell: ({ type }) => typeInWords(type) },
    {
      id: "source",
      header: "From",
      width: 115,
      cell: ({ connector_id, source }) => {
        const name = connectorNames.get(connector_id);
        return name === undefined ? SOURCES[source] : source === "connector" ? name : `${name}, ${SOURCES[source]}`;
      },
    },
  ];
}
