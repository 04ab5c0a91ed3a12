import type { AttributeType } from "@muster/protocol/api/choices";
import type { ImportColumn, InspectedColumn } from "@muster/protocol/api/imports";
import type { JobObject } from "@muster/protocol/api/jobs";
import { fieldName } from "../../ui/text/words.js";

/** What somebody chose for a column of a file. */
export interface ColumnChoice {
  column: string;
  to: ImportColumn["to"];
  name: string;
  type: AttributeType;
}

/** The roles that a column of a file of these objects can have, with their names. */
export function rolesOf(object: JobObject): { value: ImportColumn["to"]; label: string }[] {
  return [
    { value: "identifier", label: "Identifier" },
    ...(object === "events"
      ? [
          { value: "field" as const, label: "Field of the event" },
          { value: "property" as const, label: "Property" },
        ]
      : [{ value: "attribute" as const, label: "Attribute" }]),
    { value: "ignore", label: "Leave out" },
  ];
}

/** The suggested choices. Of two columns with the same suggestion, the second is left out. */
export function suggestedChoices(columns: readonly InspectedColumn[]): ColumnChoice[] {
  const taken = new Set<string>();
  return columns.map(({ column, suggestion }) => {
    const { to, name, type } = suggestion;
    const key = `${to} ${name}`;
    if (to !== "ignore" && taken.has(key)) return { column, to: "ignore", name, type };
    taken.add(key);
    return { column, to, name, type };
  });
}

/** What must be chosen before the file can be imported; undefined when everything is. */
export function choiceProblem(
  object: JobObject,
  choices: readonly ColumnChoice[],
  eventName: string,
): string | undefined {
  const used = choices.filter(({ to }) => to !== "ignore");
  const unnamed = used.find(({ name }) => name.trim() === "");
  if (unnamed) return `The column "${unnamed.column}" needs a name.`;
  const names = used.map(({ to, name }) => `${to} ${name}`);
  const twice = used.find((_, index) => names.indexOf(names[index] ?? "") !== index);
  if (twice) {
    const isFixed = twice.to === "identifier" || twice.to === "field";
    return `Two columns become "${isFixed ? fieldName(twice.name) : twice.name}". Rename one, or leave it out.`;
  }
  if (!used.some(({ to, name }) => to === "identifier" && !name.startsWith("account."))) {
    const who = object === "accounts" ? "account" : "user";
    return `Choose the column that identifies the ${who}, such as ${object === "accounts" ? "a domain" : "an e-mail address"} or an ID.`;
  }
  if (object === "events" && eventName.trim() === "" && !names.includes("field event")) {
    return "Choose the column with the name of the event, or give all events the same name.";
  }
  return undefined;
}

/** The choices as the import takes them. */
export function mappedColumns(object: JobObject, choices: readonly ColumnChoice[], eventName: string): ImportColumn[] {
  const named = choices.filter(({ to }) => to !== "ignore").map((choice) => ({ ...choice, name: choice.name.trim() }));
  const hasEvent = named.some(({ to, name }) => to === "field" && name === "event");
  if (object !== "events" || hasEvent || eventName.trim() === "") return named;
  return [...named, { value: eventName.trim(), to: "field", name: "event", type: "string" }];
}
