import { Autocomplete } from "@mantine/core";
import type { PropertyPredicate } from "@muster/query";
import { useState } from "react";
import classes from "./clause-row.module.css";
import { newCondition } from "./clauses.js";
import { typeOfProperty } from "./event-properties.js";
import type { FilterEvent } from "./filter-schema.js";

interface NewConditionProps {
  eventName: string;
  properties: FilterEvent["properties"];
  onAdd: (condition: PropertyPredicate) => void;
}

/** Adds a condition on a property of an event. Properties that were never seen can be typed. */
export function NewCondition({ eventName, properties, onAdd }: NewConditionProps) {
  const [typed, setTyped] = useState("");
  const add = (name: string) => {
    setTyped("");
    if (name.trim() !== "") onAdd(newCondition(name.trim(), typeOfProperty(properties, name.trim())));
  };
  return (
    <Autocomplete
      className={classes.property}
      variant="unstyled"
      aria-label={`Add a condition on a property of ${eventName}`}
      placeholder="+ with property…"
      data={properties.map(({ name }) => name)}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={add}
      onKeyDown={(event) => {
        // An option that is marked is taken by the list itself.
        const isMarked = event.currentTarget.getAttribute("aria-activedescendant");
        if (event.key === "Enter" && !isMarked) add(typed);
      }}
      limit={40}
    />
  );
}
