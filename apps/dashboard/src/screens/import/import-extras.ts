import type { NewImport } from "@muster/protocol/api/imports";
import type { JobObject } from "@muster/protocol/api/jobs";

/** An attribute that every row gets. The value is text as somebody typed it. */
export interface SharedValue {
  name: string;
  value: string;
}

/** What most imports do without. */
export interface ImportExtras {
  description: string;
  sharedValues: SharedValue[];
  /** Whether each user gets an `Imported User` event. */
  emitsEvent: boolean;
  /** A time of the viewer's clock, as `2030-01-31T08:00`; empty: at once. */
  beginsAt: string;
}

export const NO_EXTRAS: ImportExtras = { description: "", sharedValues: [], emitsEvent: false, beginsAt: "" };

/** The extras as the API takes them. */
export function extraParameters(
  object: JobObject,
  { description, sharedValues, emitsEvent, beginsAt }: ImportExtras,
): Pick<NewImport, "description" | "traits" | "emit_event" | "schedule_at"> {
  const traits = sharedValues
    .filter(({ name }) => name.trim() !== "")
    .map(({ name, value }) => [name.trim(), readValue(value)] as const);
  return {
    description: description.trim(),
    traits: object === "events" ? {} : Object.fromEntries(traits),
    emit_event: object === "users" && emitsEvent,
    ...(beginsAt === "" ? {} : { schedule_at: new Date(beginsAt).toISOString() }),
  };
}

/** What must be changed first; undefined when nothing must. */
export function extrasProblem({ sharedValues, beginsAt }: ImportExtras, now: number): string | undefined {
  const unnamed = sharedValues.find(({ name, value }) => name.trim() === "" && value.trim() !== "");
  if (unnamed) return `The value "${unnamed.value}" for every row needs the name of an attribute.`;
  const names = sharedValues.map(({ name }) => name.trim());
  const twice = names.find((name, index) => name !== "" && names.indexOf(name) !== index);
  if (twice !== undefined) return `Every row would get two values of "${twice}". Remove one.`;
  if (beginsAt !== "" && new Date(beginsAt).getTime() <= now) return "The import cannot begin in the past.";
  return undefined;
}

/** JSON where it is JSON, so that `12` is a number and `true` is yes; anything else is text. The command line reads values alike. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
