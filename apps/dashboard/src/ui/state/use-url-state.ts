import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/**
 * A value that lives in the address, so that it can be shared and "back" works. The fallback is not written there.
 * @example const [tab, setTab] = useUrlState("tab", "overview")
 */
export function useUrlState(
  key: string,
  fallback = "",
  { replace = false }: { replace?: boolean } = {},
): [string, (value: string | undefined) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = useCallback(
    (value: string | undefined) => {
      void navigate({
        to: ".",
        replace,
        search: (before) => ({ ...before, [key]: value === fallback ? undefined : value }),
      });
    },
    [navigate, key, fallback, replace],
  );
  return [search[key] ?? fallback, set];
}
