import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createBrand } from "@muster/protocol";
import type { Page } from "playwright-core";
import { callApi } from "../../support/call-api.js";
import { MUSTER, type MusterProcess } from "../../support/muster-process.js";

export interface Screen {
  name: string;
  path: string;
  /** A text that is there when the screen is. */
  ready: string | RegExp;
  /** What to do before the picture. */
  act?: (page: Page) => Promise<void>;
}

/** What `muster demo --json` prints. */
interface Sights {
  dashboard_url: string;
  user: { id: string };
}

interface Named {
  id: string;
  name: string;
}

const USERS = "4000";
/** It stands where a name will be. */
const ID = /^[0-9a-f]{24}$/;
const { headers: names } = createBrand();

/** Fills the server with the demo, which goes on until `close`, and says which screens there are to show. */
export async function prepareScreens(
  { url }: MusterProcess,
  adminToken: string,
): Promise<{ screens: Screen[]; close: () => Promise<void> }> {
  const demo = spawn(process.execPath, [MUSTER, "demo", "--users", USERS, "--live", "--json"], {
    env: { ...process.env, MUSTER_URL: url, MUSTER_ADMIN_TOKEN: adminToken },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // The command prints one line when everything is there, and goes on.
  const [line] = (await once(createInterface(demo.stdout), "line")) as [string];
  const { dashboard_url, user } = JSON.parse(line) as Sights;
  const { pathname: home } = new URL(dashboard_url);
  const organization = home.split("/").at(-1) ?? "";
  const headers = { authorization: `Bearer ${adminToken}`, [names.organization]: organization };
  await callApi(url, {
    method: "POST",
    path: `/${user.id}/comments`,
    headers,
    body: { text: "Asked for an invoice with the new address." },
  });
  const connectors = await callApi<Named[]>(url, { method: "GET", path: "/connectors", headers });
  const connector = (wanted: string) => `/connectors/${connectors.find(({ name }) => name === wanted)?.id}`;
  const crm = connector("Old CRM");
  const at = (path: string) => `${home}${path}`;
  const [insight] = await callApi<{ id: number }[]>(url, { method: "GET", path: "/insights", headers });
  const segments = await callApi<Named[]>(url, { method: "GET", path: "/segments", headers });
  const idOf = (wanted: string) => segments.find(({ name }) => name === wanted)?.id;
  // The builder can show it.
  const shown = idOf("Newsletter in France");
  const overlap = ["Power users", "Newsletter in France"].map(idOf).join();
  return {
    screens: [
      { name: "home", path: at(""), ready: "Home" },
      { name: "users", path: at("/users"), ready: ".example" },
      { name: "user", path: at(`/users/${user.id}`), ready: "plan" },
      { name: "accounts", path: at("/accounts"), ready: ".example" },
      { name: "segments", path: at("/segments"), ready: "Trial ending" },
      { name: "segment", path: at(`/segments/${shown}`), ready: /users, .+% of/ },
      { name: "segment-history", path: at(`/segments/${idOf("Power users")}?tab=history`), ready: "Entered and left" },
      { name: "overlap", path: at(`/segments/overlap?segments=${overlap}`), ready: "New segment" },
      { name: "insights", path: at(`/insights?saved=${insight?.id}`), ready: /of the first step/ },
      { name: "events", path: at("/events?tab=names"), ready: "Page viewed" },
      { name: "attributes", path: at("/attributes"), ready: "plan" },
      { name: "connectors", path: at("/connectors"), ready: "Old CRM" },
      { name: "connector", path: at(crm), ready: "Old CRM" },
      { name: "connector-settings", path: at(`${crm}?tab=settings`), ready: "User segments" },
      {
        name: "connector-deliveries",
        path: at(`${crm}?tab=deliveries&view=sent`),
        ready: "A user changed",
        act: (page) => page.locator("main a").filter({ hasText: ID }).first().waitFor({ state: "detached" }),
      },
      { name: "processor", path: at(`${connector("Processor")}?tab=processor`), ready: "Processor" },
      { name: "import", path: at("/import"), ready: "Import" },
      { name: "platforms", path: at("/platforms"), ready: "Tea shop" },
      { name: "settings", path: at("/settings?tab=health"), ready: "Question engine" },
      { name: "members", path: at("/settings?tab=members"), ready: "Invite" },
    ],
    async close() {
      const ended = once(demo, "exit");
      demo.kill("SIGINT");
      await ended;
    },
  };
}
