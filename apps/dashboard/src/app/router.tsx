import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { ApiError } from "../api/api-error.js";
import { callContext } from "../api/client.js";
import { queryClient, whenSignedOut } from "../api/query-client.js";
import { readSession, SESSION_KEY } from "../api/session/use-session.js";
import { BrokenScreen } from "./broken-screen.js";
import { NotFound, NothingHere } from "./not-found.js";
import { Shell } from "./shell/shell.js";

/** Every address of the dashboard. Screens are loaded when they are first opened. */

/** The search parameters of an address: texts, because `parseSearch` below makes nothing else of them. */
type SearchParameters = Record<string, string | undefined>;

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: BrokenScreen,
  // It only declares the type. Each screen reads its own parameters.
  validateSearch: (search: SearchParameters) => search,
});

function sessionOrSignIn(address: string) {
  return queryClient.ensureQueryData({ queryKey: SESSION_KEY, queryFn: readSession }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) throw redirect({ to: "/sign-in", search: { to: address } });
    throw error;
  });
}

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async () => {
    const { organizations } = await sessionOrSignIn("/");
    const last = localStorage.getItem("organization");
    const chosen = organizations.find(({ id }) => id === last) ?? organizations[0];
    if (chosen) throw redirect({ to: "/o/$org", params: { org: chosen.id } });
  },
  component: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("../screens/sign-in/sign-in-screen.js"), "SignInScreen"),
});
const signInLink = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/link/$token",
  component: lazyRouteComponent(() => import("../screens/sign-in/sign-in-link-screen.js"), "SignInLinkScreen"),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitations/$token",
  component: lazyRouteComponent(() => import("../screens/sign-in/invitation-screen.js"), "InvitationScreen"),
});

const organization = createRoute({
  getParentRoute: () => root,
  path: "/o/$org",
  beforeLoad: async ({ params, location }) => {
    await sessionOrSignIn(location.href);
    callContext.organization = params.org;
    localStorage.setItem("organization", params.org);
  },
  component: Shell,
  notFoundComponent: NothingHere,
});

const screen = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => organization, path, component });

const screens = organization.addChildren([
  screen(
    "/",
    lazyRouteComponent(() => import("../screens/home/home-screen.js"), "HomeScreen"),
  ),
  screen(
    "/users",
    lazyRouteComponent(() => import("../screens/lists/users-screen.js"), "UsersScreen"),
  ),
  screen(
    "/users/$id",
    lazyRouteComponent(() => import("../screens/subject/user-screen.js"), "UserScreen"),
  ),
  screen(
    "/accounts",
    lazyRouteComponent(() => import("../screens/lists/accounts-screen.js"), "AccountsScreen"),
  ),
  screen(
    "/accounts/$id",
    lazyRouteComponent(() => import("../screens/subject/account-screen.js"), "AccountScreen"),
  ),
  screen(
    "/segments",
    lazyRouteComponent(() => import("../screens/segments/segments-screen.js"), "SegmentsScreen"),
  ),
  screen(
    "/segments/overlap",
    lazyRouteComponent(() => import("../screens/segments/overlap-screen.js"), "OverlapScreen"),
  ),
  screen(
    "/segments/$id",
    lazyRouteComponent(() => import("../screens/segments/segment-screen.js"), "SegmentScreen"),
  ),
  screen(
    "/insights",
    lazyRouteComponent(() => import("../screens/insights/insights-screen.js"), "InsightsScreen"),
  ),
  screen(
    "/events",
    lazyRouteComponent(() => import("../screens/events/events-screen.js"), "EventsScreen"),
  ),
  screen(
    "/entities",
    lazyRouteComponent(() => import("../screens/entities/entities-screen.js"), "EntitiesScreen"),
  ),
  screen(
    "/attributes",
    lazyRouteComponent(() => import("../screens/attributes/attributes-screen.js"), "AttributesScreen"),
  ),
  screen(
    "/connectors",
    lazyRouteComponent(() => import("../screens/connectors/connectors-screen.js"), "ConnectorsScreen"),
  ),
  screen(
    "/connectors/$id",
    lazyRouteComponent(() => import("../screens/connectors/connector-screen.js"), "ConnectorScreen"),
  ),
  screen(
    "/import",
    lazyRouteComponent(() => import("../screens/import/import-screen.js"), "ImportScreen"),
  ),
  screen(
    "/platforms",
    lazyRouteComponent(() => import("../screens/platforms/platforms-screen.js"), "PlatformsScreen"),
  ),
  screen(
    "/platforms/$id",
    lazyRouteComponent(() => import("../screens/platforms/platform-screen.js"), "PlatformScreen"),
  ),
  screen(
    "/settings",
    lazyRouteComponent(() => import("../screens/settings/settings-screen.js"), "SettingsScreen"),
  ),
]);

export const router = createRouter({
  routeTree: root.addChildren([start, signIn, signInLink, invitation, screens]),
  defaultPreload: "intent",
  scrollRestoration: true,
  // Search parameters stay readable in an address that somebody sends to a colleague.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
    return text === "" ? "" : `?${text}`;
  },
});

// The code of the first screen is on its way while the session is read.
for (const { routeId } of router.matchRoutes(router.latestLocation)) {
  // A failure shows itself when the screen opens, which loads the code again.
  void Promise.resolve(router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById])).catch(
    () => undefined,
  );
}

whenSignedOut(() => {
  void router.navigate({ to: "/sign-in", search: { to: router.state.location.href } });
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
