import { CONNECTOR_TABS } from "../screens/connectors/connector-tabs.js";
import { EVENT_TABS } from "../screens/events/event-tabs.js";
import { SEGMENT_TABS } from "../screens/segments/segment-tabs.js";
import { SETTINGS_FILES } from "../screens/settings/settings-files.js";
import { CHART_FILE } from "../ui/charts/chart-file.js";
import { type LazyFile, lazyFile } from "../ui/state/lazy-file.js";

/** The files of the screens, by their addresses in an organization. The router opens them, the start of the page loads them. */
export const SCREEN_FILES = {
  "/": lazyFile(() => import("../screens/home/home-screen.js")),
  "/users": lazyFile(() => import("../screens/lists/users-screen.js")),
  "/users/$id": lazyFile(() => import("../screens/subject/user-screen.js")),
  "/accounts": lazyFile(() => import("../screens/lists/accounts-screen.js")),
  "/accounts/$id": lazyFile(() => import("../screens/subject/account-screen.js")),
  "/segments": lazyFile(() => import("../screens/segments/segments-screen.js")),
  "/segments/overlap": lazyFile(() => import("../screens/segments/overlap-screen.js")),
  "/segments/$id": lazyFile(() => import("../screens/segments/segment-screen.js")),
  "/insights": lazyFile(() => import("../screens/insights/insights-screen.js")),
  "/events": lazyFile(() => import("../screens/events/events-screen.js")),
  "/entities": lazyFile(() => import("../screens/entities/entities-screen.js")),
  "/attributes": lazyFile(() => import("../screens/attributes/attributes-screen.js")),
  "/connectors": lazyFile(() => import("../screens/connectors/connectors-screen.js")),
  "/connectors/$id": lazyFile(() => import("../screens/connectors/connector-screen.js")),
  "/import": lazyFile(() => import("../screens/import/import-screen.js")),
  "/platforms": lazyFile(() => import("../screens/platforms/platforms-screen.js")),
  "/platforms/$id": lazyFile(() => import("../screens/platforms/platform-screen.js")),
  "/settings": lazyFile(() => import("../screens/settings/settings-screen.js")),
};

export type ScreenPath = keyof typeof SCREEN_FILES;
type Parts = (search: URLSearchParams) => LazyFile<unknown>[];

/** What a screen draws at first that is in files of its own. The home is there before its charts. */
const FIRST_PARTS: Partial<Record<ScreenPath, Parts>> = {
  "/segments/$id": ofTab({ ...SEGMENT_TABS, history: [SEGMENT_TABS.history, CHART_FILE] }, "build"),
  // Questions of the other kinds have no chart.
  "/insights": (search) => (search.get("q")?.startsWith('{"trend"') === false ? [] : [CHART_FILE]),
  "/events": ofTab(EVENT_TABS),
  "/connectors/$id": ofTab({ ...CONNECTOR_TABS, overview: [CONNECTOR_TABS.overview, CHART_FILE] }, "overview"),
  "/settings": ofTab(SETTINGS_FILES, "organization"),
};

/** The files of the tab in the address, or of the first tab. */
function ofTab(files: Record<string, LazyFile<unknown> | LazyFile<unknown>[]>, first = ""): Parts {
  return (search) => {
    const tab = search.get("tab") ?? first;
    return Object.hasOwn(files, tab) ? [files[tab]!].flat() : [];
  };
}

/** Where an address leads: the organization, the screen and the id of what it shows; undefined when it is no screen. */
export function placeOf({ pathname }: URL): { org: string; screen: ScreenPath; id: string } | undefined {
  const [, start, org = "", ...rest] = pathname.split("/");
  if (start !== "o") return undefined;
  const path = `/${rest.join("/")}`;
  const screen = [path, path.replace(/\/[^/]+$/, "/$id")].find((one) => Object.hasOwn(SCREEN_FILES, one));
  return screen === undefined ? undefined : { org, screen: screen as ScreenPath, id: rest.at(-1) ?? "" };
}

/** Every file that the first picture of an address needs, the screen's own first. */
export function filesOf(address: URL): LazyFile<unknown>[] {
  const place = placeOf(address);
  if (!place) return [];
  return [SCREEN_FILES[place.screen], ...(FIRST_PARTS[place.screen]?.(address.searchParams) ?? [])];
}
