import { useMemo } from "react";
import { useUrlState } from "../state/use-url-state.js";
import type { Sort } from "./data-table.js";

/** The order of a table, in the address as `sort=column` or `sort=-column` for descending. */
export function useUrlSort(fallback: Sort): [Sort, (sort: Sort) => void] {
  const [text, setText] = useUrlState("sort", printSort(fallback), { replace: true });
  const sort = useMemo(() => readSort(text), [text]);
  return [sort, (next) => setText(printSort(next))];
}

function printSort({ column, direction }: Sort): string {
  return direction === "desc" ? `-${column}` : column;
}

function readSort(text: string): Sort {
  return text.startsWith("-") ? { column: text.slice(1), direction: "desc" } : { column: text, direction: "asc" };
}
