import type { FieldType, Predicate } from "@muster/query";
import { formatCount } from "../ui/text/format.js";
import type { BuilderContext } from "./builder-context.js";
import { newEventClause, newGroup, newPropertyClause, newSegmentClause } from "./clauses.js";
import { isSegmentField } from "./operators.js";

/** Something that a new clause can be about. */
export interface ClauseChoice {
  id: string;
  name: string;
  /** Another name that finds it. */
  alias?: string;
  hint: string;
  make: () => Predicate;
}

export interface ChoiceGroup {
  title: string;
  choices: readonly ClauseChoice[];
}

/** Choices of a group that are listed at once: more than a person reads. The search finds the others. */
const MOST_SHOWN = 40;

export const TYPE_WORDS: Readonly<Record<FieldType, string>> = {
  string: "text",
  numeric: "number",
  date: "date",
  boolean: "yes or no",
  array: "list",
  json: "object",
};

export function choicesFor({ target, schema }: Pick<BuilderContext, "target" | "schema">): ChoiceGroup[] {
  const fields = schema.fields
    .filter(({ key }) => !isSegmentField(key))
    .map((field) => ({
      owner: field.owner,
      id: `field ${field.owner} ${field.key}`,
      name: field.label,
      ...(field.label === field.name ? {} : { alias: field.name }),
      hint: field.label === field.name ? TYPE_WORDS[field.type] : `${field.name}, ${TYPE_WORDS[field.type]}`,
      make: () => newPropertyClause(field),
    }));
  const events = schema.events.map(({ name, count }) => ({
    id: `event ${name}`,
    name,
    hint: count === 1 ? "once" : formatCount(count, "time"),
    make: () => newEventClause(name),
  }));
  const segments = schema.segments.map((segment) => ({
    id: `segment ${segment.id}`,
    name: segment.name,
    hint: segment.owner === target ? "segment" : "account segment",
    make: () => newSegmentClause(segment),
  }));
  const group = { id: "group", name: "Group of conditions", hint: "all, any or none", make: () => newGroup() };
  const groups = [
    { title: "Attributes", choices: fields.filter(({ owner }) => owner === target) },
    { title: "Events", choices: events },
    { title: "Segments", choices: segments },
    { title: "Account", choices: fields.filter(({ owner }) => owner !== target) },
    { title: "Nesting", choices: [group] },
  ];
  return groups.filter(({ choices }) => choices.length > 0);
}

/** The choices whose name has every word of a search, those that begin with it first, and how many are not listed. */
export function filterChoices(groups: readonly ChoiceGroup[], search: string): { groups: ChoiceGroup[]; left: number } {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ name }: ClauseChoice) => (name.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1);
  let left = 0;
  const shown = groups
    .map(({ title, choices }) => {
      const found = choices.filter(({ name, alias = "" }) =>
        words.every((word) => `${name} ${alias}`.toLowerCase().includes(word)),
      );
      const sorted = words.length === 0 ? found : found.sort((one, other) => rank(one) - rank(other));
      left += Math.max(0, sorted.length - MOST_SHOWN);
      return { title, choices: sorted.slice(0, MOST_SHOWN) };
    })
    .filter(({ choices }) => choices.length > 0);
  return { groups: shown, left };
}
