import { Text, Title } from "@mantine/core";
import type { AttributeLabel } from "../use-attribute-labels.js";
import { usePanel } from "../use-panel.js";
import { dayName } from "./day-name.js";
import type { TimelineDay } from "./group-timeline.js";
import { ItemRow } from "./item-row.js";
import { sessionHead } from "./session-head.js";
import classes from "./timeline.module.css";

interface DayGroupProps {
  day: TimelineDay;
  /** How many tries an item stands for, by its id. */
  tries: ReadonlyMap<string, number>;
  /** The names of the users that items are about, by their ids. Empty on the page of a user. */
  names: ReadonlyMap<string, string>;
  labelOf: AttributeLabel;
}

/** One day of the timeline. The items of one visit stand together. */
export function DayGroup({ day, tries, names, labelOf }: DayGroupProps) {
  const [panel, openPanel] = usePanel();
  return (
    <section aria-label={dayName(day.at)}>
      <Title order={3} className={classes.day}>
        {dayName(day.at)}
      </Title>
      {day.runs.map(({ key, session, items }) => (
        <div key={key} className={classes.run} data-session={session === undefined ? undefined : true}>
          {session === undefined ? null : (
            <Text size="xs" c="dimmed" className={classes.session} title={`Session ${session}`}>
              {sessionHead(items)}
            </Text>
          )}
          {items.map((item) => (
            <ItemRow
              key={`${item.kind} ${item.id}`}
              item={item}
              tries={tries.get(item.id) ?? 1}
              who={item.kind === "event" ? names.get(item.user_id) : undefined}
              labelOf={labelOf}
              isOpen={panel?.kind === "item" && panel.about === item.id}
              onOpen={() => openPanel({ kind: "item", about: item.id })}
            />
          ))}
        </div>
      ))}
    </section>
  );
}
