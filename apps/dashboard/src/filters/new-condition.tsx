import { Autocomplete } from "@mantine/core";
import type { PropertyPredicate } from "@muster/query";
import { useRef, useState } from "react";
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
  // The list writes the choice into the input after it was added.
  const isChosen = useRef(false);
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
      onChange={(text) => {
        setTyped(isChosen.current ? "" : text);
        isChosen.current = false;
      }}
      onOptionSubmit={(name) => {
        isChosen.current = true;
        add(name);
      }}
      onKeyDown={(event) => {
        // An option that is marked is taken by the list itself.
        const isMarked = event.currentTarget.getAttribute("aria-activedescendant");
        if (event.key === "Enter" && !isMarked) add(meantProperty(properties, typed));
      }}
      limit={40}
    />
  );
}

/** What Enter takes: the property with this name, or the only one that has the text in its name, or the text itself. */
function meantProperty(properties: NewConditionProps["properties"], typed: string): string {
  const text = typed.trim().toLowerCase();
  const found = properties.map(({ name }) => name).filter((name) => name.toLowerCase().includes(text));
  const exact = found.find((name) => name.toLowerCase() === text);
  return exact ?? (text !== "" && found.length === 1 ? (found[0] ?? typed) : typed);
}
