import { Text } from "@mantine/core";
import type { EventProperty } from "@muster/protocol/api/events";
import { typeWords } from "../../../filters/type-names.js";
import { ShareBar } from "../../../ui/charts/share-bar.js";
import classes from "./property-list.module.css";

/** The properties of events: type, how many events have them, and their most frequent values. */
export function PropertyList({ properties, sampled }: { properties: readonly EventProperty[]; sampled: number }) {
  if (properties.length === 0) return <Text c="dimmed">These events have no properties.</Text>;
  return (
    <ul className={classes.list}>
      {properties.map(({ name, types, count, samples }) => (
        <li key={name} className={classes.property}>
          <span className={classes.name}>{name}</span>
          <span className={classes.type}>{types.map(typeWords).join(" or ")}</span>
          <ShareBar share={sampled === 0 ? 0 : count / sampled} />
          <span className={classes.samples}>{samples.map(({ value }) => String(value)).join(" · ")}</span>
        </li>
      ))}
    </ul>
  );
}
