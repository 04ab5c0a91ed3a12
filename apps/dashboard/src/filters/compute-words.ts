import type { Aggregate, Compute, OverUsers } from "@muster/protocol/api/computed-attributes";
import { attributeName } from "../ui/text/words.js";
import { spanWords } from "./span.js";

/** The words of what is computed, before what it is computed of. */
export const AGGREGATE_WORDS: Readonly<Record<Aggregate | "share", string>> = {
  count: "Number of",
  sum: "Sum of",
  average: "Average of",
  min: "Least",
  max: "Greatest",
  first: "First",
  last: "Last",
  unique: "Number of different values of",
  share: "Share of users",
};

interface OfEvents {
  event: string;
  property?: string;
  where?: unknown;
  within?: string;
}

interface OfUsers {
  attribute?: string;
  where?: unknown;
}

/** A definition in a sentence. @example computeSentence({ count: { event: "Order", within: "30d" } }) // "Number of “Order” in the last 30 days" */
export function computeSentence(compute: Compute): string {
  if (compute.formula !== undefined) return `Formula: ${compute.formula}`;
  if (compute.over_users !== undefined) return ofUsers(compute.over_users);
  const [aggregate, given] = onlyEntry(compute);
  return eventWords(aggregate, given as OfEvents);
}

function ofUsers(over: OverUsers): string {
  const [aggregate, given] = onlyEntry(over);
  if ("event" in given) return `${eventWords(aggregate, given as OfEvents)}, of all users of the account`;
  const { attribute, where } = given as OfUsers;
  const filter = hasClauses(where) ? " that match the filter" : "";
  if (aggregate === "count") return `Number of users${filter}`;
  if (aggregate === "share") return `Share of users${filter}`;
  return `${AGGREGATE_WORDS[aggregate]} ${attributeName(attribute ?? "")} of the users${filter}`;
}

function eventWords(aggregate: Aggregate | "share", { event, property, where, within }: OfEvents): string {
  const of = property === undefined ? `“${event}”` : `${property} of “${event}”`;
  const filter = hasClauses(where) ? " that match the filter" : "";
  const window = within === undefined ? "" : ` in the last ${spanWords(within)}`;
  return `${AGGREGATE_WORDS[aggregate]} ${of}${filter}${window}`;
}

function hasClauses(where: unknown): boolean {
  return typeof where === "object" && where !== null && Object.keys(where).length > 0;
}

/** A definition has exactly one key: the contract says so. */
export function onlyEntry(given: Omit<Compute, "formula" | "over_users"> | OverUsers): [Aggregate | "share", object] {
  const [[key, value] = ["count", {}]] = Object.entries(given);
  return [key as Aggregate | "share", value as object];
}
