import type { SubjectType } from "@muster/protocol";
import type { View } from "@muster/protocol/api/views";
import type { Predicate } from "@muster/query";
import { readPredicate } from "../../filters/read-predicate.js";
import { type ListColumn, type ListSort, USUAL_COLUMNS, USUAL_SORT } from "./usual-list.js";

/** How a list is shown, as its address says it. */

/** @example readColumns("email:240,traits_plan", "user") // [{ key: "email", width: 240 }, { key: "traits_plan" }] */
export function readColumns(text: string, target: SubjectType): readonly ListColumn[] {
  if (text === "") return USUAL_COLUMNS[target];
  return text.split(",").flatMap((part) => {
    const [key = "", width] = part.split(":").map(decodeURIComponent);
    if (key === "") return [];
    return [Number(width) > 0 ? { key, width: Number(width) } : { key }];
  });
}

/** Names of attributes may have any character, so those that part the list are encoded. */
export function printColumns(columns: readonly ListColumn[]): string {
  return columns
    .map(({ key, width }) => {
      const name = key.replace(/[%,:]/g, encodeURIComponent);
      return width === undefined ? name : `${name}:${width}`;
    })
    .join(",");
}

/** @example readSort("-created_at") // { key: "created_at", direction: "desc" } */
export function readSort(text: string): ListSort {
  if (text === "") return USUAL_SORT;
  return text.startsWith("-") ? { key: text.slice(1), direction: "desc" } : { key: text, direction: "asc" };
}

export function printSort({ key, direction }: ListSort): string {
  return direction === "desc" ? `-${key}` : key;
}

/** The filter in the address. One that cannot be read is no filter. */
export function readFilter(text: string): Predicate | Record<string, never> {
  if (text === "") return {};
  try {
    const read = readPredicate(JSON.parse(text));
    return "predicate" in read ? read.predicate : {};
  } catch {
    return {};
  }
}

/** An empty filter is not written. */
export function printFilter(predicate: object): string {
  const { predicates } = predicate as { predicates?: unknown };
  const isEmpty = Object.keys(predicate).length === 0 || (Array.isArray(predicates) && predicates.length === 0);
  return isEmpty ? "" : JSON.stringify(predicate);
}

/** The parameters of the address that show a saved view. */
export function addressOfView(view: View): Record<string, string | undefined> {
  const [key, direction] = Object.entries(view.sort)[0] ?? [];
  const sort = key === undefined ? "" : printSort({ key, direction: direction === "desc" ? "desc" : "asc" });
  return {
    view: String(view.id),
    q: view.search || undefined,
    filter: printFilter(view.predicate) || undefined,
    columns: printColumns(view.columns) || undefined,
    sort: sort === printSort(USUAL_SORT) ? undefined : sort || undefined,
  };
}

/** Whether the list shows something else than the view that it was opened with. */
export function isChanged(view: View, shown: Record<string, string | undefined>): boolean {
  const saved = addressOfView(view);
  return ["q", "filter", "columns", "sort"].some((name) => (saved[name] ?? "") !== (shown[name] ?? ""));
}
