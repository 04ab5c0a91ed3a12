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
import { SCREEN_FILES } from "./screen-files.js";
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
  screen("/", lazyRouteComponent(SCREEN_FILES["/"].load, "HomeScreen")),
  screen("/users", lazyRouteComponent(SCREEN_FILES["/users"].load, "UsersScreen")),
  screen("/users/$id", lazyRouteComponent(SCREEN_FILES["/users/$id"].load, "UserScreen")),
  screen("/accounts", lazyRouteComponent(SCREEN_FILES["/accounts"].load, "AccountsScreen")),
  screen("/accounts/$id", lazyRouteComponent(SCREEN_FILES["/accounts/$id"].load, "AccountScreen")),
  screen("/segments", lazyRouteComponent(SCREEN_FILES["/segments"].load, "SegmentsScreen")),
  screen("/segments/overlap", lazyRouteComponent(SCREEN_FILES["/segments/overlap"].load, "OverlapScreen")),
  screen("/segments/$id", lazyRouteComponent(SCREEN_FILES["/segments/$id"].load, "SegmentScreen")),
  screen("/insights", lazyRouteComponent(SCREEN_FILES["/insights"].load, "InsightsScreen")),
  screen("/events", lazyRouteComponent(SCREEN_FILES["/events"].load, "EventsScreen")),
  screen("/entities", lazyRouteComponent(SCREEN_FILES["/entities"].load, "EntitiesScreen")),
  screen("/attributes", lazyRouteComponent(SCREEN_FILES["/attributes"].load, "AttributesScreen")),
  screen("/connectors", lazyRouteComponent(SCREEN_FILES["/connectors"].load, "ConnectorsScreen")),
  screen("/connectors/$id", lazyRouteComponent(SCREEN_FILES["/connectors/$id"].load, "ConnectorScreen")),
  screen("/import", lazyRouteComponent(SCREEN_FILES["/import"].load, "ImportScreen")),
  screen("/platforms", lazyRouteComponent(SCREEN_FILES["/platforms"].load, "PlatformsScreen")),
  screen("/platforms/$id", lazyRouteComponent(SCREEN_FILES["/platforms/$id"].load, "PlatformScreen")),
  screen("/settings", lazyRouteComponent(SCREEN_FILES["/settings"].load, "SettingsScreen")),
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

whenSignedOut(() => {
  void router.navigate({ to: "/sign-in", search: { to: router.state.location.href } });
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
