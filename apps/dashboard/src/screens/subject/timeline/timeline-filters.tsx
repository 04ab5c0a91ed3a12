import type { SubjectType } from "@muster/protocol";
import type { TimelineItem } from "@muster/protocol/api/history";
import "@mantine/core/styles/Chip.css";
import { Chip, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { useUserRecord } from "../../../api/audience/use-subject.js";
import type { TimelineKind } from "../../../api/audience/use-timeline.js";
import { FilterSelect } from "../../../ui/table/filter-select.js";
import { formatNumber } from "../../../ui/text/format.js";

interface TimelineFiltersProps {
  type: SubjectType;
  id: string;
  items: readonly TimelineItem[];
  /** Comma-separated; empty for all. */
  kinds: string;
  setKinds: (kinds: string | undefined) => void;
  name: string;
  setName: (name: string | undefined) => void;
  /** At the end of the line. */
  beside: ReactNode;
}

const KINDS: readonly [TimelineKind, string][] = [
  ["event", "Events"],
  ["change", "Changes"],
  ["segment", "Segments"],
  ["delivery", "Deliveries"],
  ["merge", "Merges"],
  ["unmerge", "Undone merges"],
  ["comment", "Comments"],
];

/** Which kinds of items are shown, and which events. */
export function TimelineFilters(props: TimelineFiltersProps) {
  const { type, id, items, kinds, setKinds, name, setName, beside } = props;
  const record = useUserRecord(id, type === "user");
  const counts = record.data?.actions ?? {};
  const seen = items.flatMap((item) => (item.kind === "event" ? [item.event] : []));
  const names = [...new Set([...Object.keys(counts), ...seen, ...(name === "" ? [] : [name])])].sort();
  const labelOf = (event: string) => {
    const count = counts[event];
    return count === undefined ? event : `${event} (${formatNumber(count)})`;
  };
  return (
    <Group gap={6} role="group" aria-label="Filter the timeline">
      <Chip.Group
        multiple
        value={kinds === "" ? [] : kinds.split(",")}
        onChange={(chosen) => {
          setKinds(chosen.join(","));
        }}
      >
        {KINDS.map(([kind, label]) => (
          <Chip key={kind} value={kind} size="xs" variant="light" disabled={name !== "" && kind !== "event"}>
            {label}
          </Chip>
        ))}
      </Chip.Group>
      <FilterSelect
        aria-label="Only events of this name"
        placeholder="Any event"
        data={names.map((event) => ({ value: event, label: labelOf(event) }))}
        value={name}
        onChange={setName}
        searchable
        w={190}
      />
      <Group ml="auto">{beside}</Group>
    </Group>
  );
}
