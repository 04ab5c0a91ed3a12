import type { SubjectType } from "@muster/protocol";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { printColumns, printFilter, printSort, readColumns, readFilter, readSort } from "./list-address.js";
import { type ListColumn, type ListSort, USUAL_SORT } from "./usual-list.js";

/** The parameters of the address of a list. */
export interface ListParameters {
  q?: string | undefined;
  filter?: string | undefined;
  columns?: string | undefined;
  sort?: string | undefined;
  view?: string | undefined;
}

/** What a list shows, read from its address and written to it. */
export function useListAddress(target: SubjectType) {
  const shown: ListParameters = useSearch({ strict: false });
  const { q = "", filter = "", columns = "", sort = "", view } = shown;
  const navigate = useNavigate();
  const show = useCallback(
    (change: ListParameters, { replace = true }: { replace?: boolean } = {}) => {
      void navigate({
        to: ".",
        replace,
        search: (before) => ({ ...before, ...change }),
      });
    },
    [navigate],
  );
  const read = useMemo(
    () => ({ predicate: readFilter(filter), columns: readColumns(columns, target), sort: readSort(sort) }),
    [filter, columns, sort, target],
  );
  return {
    ...read,
    text: q,
    viewId: view === undefined ? undefined : Number(view),
    shown: { q, filter, columns, sort } as Record<string, string>,
    show,
    setText: useCallback((text: string) => show({ q: text || undefined }), [show]),
    setPredicate: (predicate: object) => show({ filter: printFilter(predicate) || undefined }),
    setColumns: (next: readonly ListColumn[]) => show({ columns: printColumns(next) || undefined }),
    setSort: (next: ListSort) => {
      const text = printSort(next);
      show({ sort: text === printSort(USUAL_SORT) ? undefined : text }, { replace: false });
    },
  };
}

export type ListAddress = ReturnType<typeof useListAddress>;
