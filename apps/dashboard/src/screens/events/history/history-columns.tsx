import { Text } from "@mantine/core";
import type { Event } from "@muster/protocol/api/events";
import type { DataColumn } from "../../../ui/table/data-table.js";
import { showProperties } from "../../../ui/text/show-value.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { sourceInWords } from "../names/sources-in-words.js";

/** The columns of stored events. `names` are the names of users by their ids. */
export function historyColumns(
  names: ReadonlyMap<string, string>,
  changesOf: (event: Event) => Record<string, string> | undefined,
): DataColumn<Event>[] {
  return [
    {
      id: "at",
      header: "Time",
      width: 110,
      cell: ({ created_at }) => <TimeText time={created_at} />,
    },
    { id: "event", header: "Event", width: 200, cell: ({ event }) => event },
    {
      id: "user",
      header: "Who",
      width: 200,
      cell: ({ user_id, account_id }) => names.get(user_id || (account_id ?? "")) ?? (user_id || account_id || "–"),
    },
    {
      id: "properties",
      header: "Properties",
      width: 420,
      cell: (event) => (
        <Text span inherit c="dimmed">
          {showProperties(changesOf(event) ?? (event.properties as Record<string, unknown>))}
        </Text>
      ),
    },
    { id: "source", header: "Source", width: 110, cell: ({ event_source }) => sourceInWords(event_source) },
  ];
}
