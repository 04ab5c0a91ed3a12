import { placeOf, type ScreenPath } from "./screen-files.js";

type Calls = (search: URLSearchParams, id: string) => string[];

/**
 * What the first picture of a screen waits for, as the hooks in `src/api` write it. It is asked while the code is loaded. Only
 * calls without a body are here, and none that could be answered later. A test finds those that nobody makes.
 */
const FIRST_CALLS: Partial<Record<ScreenPath, Calls>> = {
  "/": () => ["/api/v1/overview"],
  "/users": () => ["/api/v1/users/schema"],
  "/users/$id": (search, id) => [`/api/v1/${id}/user_report`, ...subjectCalls(search, id)],
  "/accounts": () => ["/api/v1/accounts/schema"],
  "/accounts/$id": (search, id) => [`/api/v1/${id}/account_report`, ...subjectCalls(search, id)],
  "/segments": () => ["/api/v1/segments"],
  "/segments/$id": (_search, id) => (id === "new" ? [] : [`/api/v1/${id}`]),
  "/attributes": (search) => {
    const type = search.get("tab") === "accounts" ? "account" : "user";
    return [`/api/v1/${type}s/attributes`, `/api/v1/computed_attributes?target=${type}&per_page=1000`];
  },
  "/connectors": () => ["/api/v1/connectors?per_page=1000"],
  "/connectors/$id": (_search, id) => [`/api/v1/${id}`],
  "/platforms": () => ["/api/v1/platforms?per_page=1000"],
  "/settings": (search) => (search.toString() === "tab=audit" ? ["/api/v1/audit?page=1&per_page=20"] : []),
};

function subjectCalls(search: URLSearchParams, id: string): string[] {
  const isFiltered = search.has("kinds") || search.has("event");
  return [`/api/v1/${id}/attributes`, ...(isFiltered ? [] : [`/api/v1/${id}/timeline?per_page=50`])];
}

/** The calls that the first picture of an address makes in its organization. */
export function firstCallsOf(address: URL): string[] {
  const place = placeOf(address);
  if (!place) return [];
  return ["/api/v1/overview/health", ...(FIRST_CALLS[place.screen]?.(address.searchParams, place.id) ?? [])];
}
