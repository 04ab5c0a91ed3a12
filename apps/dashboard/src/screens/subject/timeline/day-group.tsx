import { Text, Title } from "@mantine/core";
import { formatCount } from "../../../ui/text/format.js";
import { usePanel } from "../use-panel.js";
import { dayName } from "./day-name.js";
import type { TimelineDay } from "./group-timeline.js";
import { ItemRow } from "./item-row.js";
import classes from "./timeline.module.css";

/** One day of the timeline. The items of one visit stand together. */
export function DayGroup({ day }: { day: TimelineDay }) {
  const [panel, openPanel] = usePanel();
  return (
    <section aria-label={dayName(day.at)}>
      <Title order={3} className={classes.day}>
        {dayName(day.at)}
      </Title>
      {day.runs.map(({ key, session, items }) => (
        <div key={key} className={classes.run} data-session={session === undefined ? undefined : true}>
          {session === undefined ? null : (
            <Text size="xs" c="dimmed" className={classes.session}>
              Session {session}, {formatCount(items.length, "item")}
            </Text>
          )}
          {items.map((item) => (
            <ItemRow
              key={`${item.kind} ${item.id}`}
              item={item}
              isOpen={panel?.kind === "item" && panel.about === item.id}
              onOpen={() => openPanel({ kind: "item", about: item.id })}
            />
          ))}
        </div>
      ))}
    </section>
  );
}
