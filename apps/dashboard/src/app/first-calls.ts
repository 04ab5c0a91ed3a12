import { eventsBody } from "../api/audience/events-body.js";
import { subjectsBody } from "../api/audience/subjects-body.js";
import { FIRST_QUESTIONS } from "../screens/insights/first-questions.js";
import { usualQuestion } from "../screens/lists/usual-list.js";
import { placeOf, type ScreenPath } from "./screen-files.js";

interface FirstCall {
  path: string;
  /** What a POST asks. Without it, the call is a GET. */
  body?: object;
}

type Calls = (search: URLSearchParams, id: string) => (FirstCall | string)[];

/**
 * What the first picture of a screen waits for, as the hooks in `src/api` write it. It is asked while the code is loaded. Only
 * reads are here, and none that could be answered later. A test finds those that nobody makes.
 */
const FIRST_CALLS: Partial<Record<ScreenPath, Calls>> = {
  "/": () => ["/api/v1/overview"],
  "/users": (search) => ["/api/v1/users/schema", ...listCalls(search, "user")],
  "/users/$id": (search, id) => [`/api/v1/${id}/user_report`, ...subjectCalls(search, id)],
  "/accounts": (search) => ["/api/v1/accounts/schema", ...listCalls(search, "account")],
  "/accounts/$id": (search, id) => [`/api/v1/${id}/account_report`, ...subjectCalls(search, id)],
  "/segments": () => ["/api/v1/segments"],
  "/segments/$id": (_search, id) => (id === "new" ? [] : [`/api/v1/${id}`]),
  "/insights": (search) => (hasAny(search, ["q", "saved"]) ? [] : [firstTrend()]),
  "/events": eventCalls,
  "/attributes": (search) => {
    const type = search.get("tab") === "accounts" ? "account" : "user";
    return [`/api/v1/${type}s/attributes`, `/api/v1/computed_attributes?target=${type}&per_page=1000`];
  },
  "/connectors": () => ["/api/v1/connectors?per_page=1000"],
  "/connectors/$id": (_search, id) => [`/api/v1/${id}`],
  "/platforms": () => ["/api/v1/platforms?per_page=1000"],
  "/settings": (search) => (search.toString() === "tab=audit" ? ["/api/v1/audit?page=1&per_page=20"] : []),
};

const hasAny = (search: URLSearchParams, names: readonly string[]) => names.some((name) => search.has(name));

/** The list as it is without choices. */
function listCalls(search: URLSearchParams, target: "user" | "account"): FirstCall[] {
  if (hasAny(search, ["q", "filter", "columns", "sort"])) return [];
  return [{ path: "/api/v1/search/subjects", body: subjectsBody(usualQuestion(target)) }];
}

function subjectCalls(search: URLSearchParams, id: string): string[] {
  const isFiltered = hasAny(search, ["kinds", "event"]);
  return [`/api/v1/${id}/attributes`, ...(isFiltered ? [] : [`/api/v1/${id}/timeline?per_page=50`])];
}

function firstTrend(): FirstCall {
  return { path: "/api/v1/insights/trend", body: { ...FIRST_QUESTIONS.trend.trend } };
}

function eventCalls(search: URLSearchParams): FirstCall[] {
  switch (search.toString()) {
    case "tab=history":
      return [{ path: "/api/v1/search/events", body: eventsBody({ bool: { must: [] } }) }];
    case "tab=names":
      return [{ path: "/api/v1/events/names?page=1&per_page=200&order=volume&hidden=false" }];
    default:
      return [];
  }
}

/** The calls that the first picture of an address makes in its organization. */
export function firstCallsOf(address: URL): FirstCall[] {
  const place = placeOf(address);
  if (!place) return [];
  const calls = FIRST_CALLS[place.screen]?.(address.searchParams, place.id) ?? [];
  return ["/api/v1/overview/health", ...calls].map((call) => (typeof call === "string" ? { path: call } : call));
}
