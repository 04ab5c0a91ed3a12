import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { createBrand } from "@muster/protocol";
import type { Page } from "playwright-core";
import { freePort } from "../../../testing/free-port.js";
import { startWebServer } from "../../../testing/start-web-server.js";
import { callApi } from "../../support/call-api.js";
import type { Credentials } from "../../support/credentials.js";
import { postBatch, userEntry } from "../../support/entries.js";
import { type MusterProcess, REPOSITORY } from "../../support/muster-process.js";
import { seedCompany } from "./seed-company.js";

export interface Screen {
  name: string;
  path: string;
  /** A text that is there when the screen is. */
  ready: string | RegExp;
  /** What to do before the picture. */
  act?: (page: Page) => Promise<void>;
}

const { headers: names } = createBrand();

/** Fills the server, installs connectors, and says which screens there are to show. */
export async function prepareScreens(
  muster: MusterProcess,
  adminToken: string,
): Promise<{ screens: Screen[]; close: () => Promise<void> }> {
  const { url } = muster;
  const { organization, connector } = await announced(muster, adminToken);
  const headers = { authorization: `Bearer ${adminToken}`, [names.organization]: organization };
  const api = <Answer>(method: string, path: string, body?: object) =>
    callApi<Answer>(url, { method, path, headers, body });

  await seedCompany(url, connector, Date.now());
  const segments = await createSegments(api);
  const sink = await startWebServer((request, response) => {
    request.resume().on("end", () => response.writeHead(Math.random() < 0.2 ? 422 : 200).end("{}"));
  });
  const apps = [await startApp("outgoing-webhooks", url), await startApp("processor", url)];
  const [webhooks = "", processor = ""] = await Promise.all(
    apps.map(async ({ address }) => (await api<{ id: string }>("POST", "/connectors/install", { url: address })).id),
  );
  await setUp(api, webhooks, { url: sink.url });
  await api("PUT", `/${webhooks}`, {
    private_settings: { triggers: ["user.updated", "segment.entered"], synchronized_segments: [segments.trial] },
  });
  await api("POST", "/platforms", { name: "Shop", domains: ["shop.example"] });
  await sendSome(url, connector);
  const user = await findUser(api);
  await api("POST", `/${user}/comments`, { text: "Asked for an invoice with the new address." });
  const at = (path: string) => `/o/${organization}${path}`;
  return {
    screens: [
      { name: "home", path: at(""), ready: "Home" },
      { name: "users", path: at("/users"), ready: "@example.com" },
      { name: "user", path: at(`/users/${user}`), ready: "plan" },
      { name: "accounts", path: at("/accounts"), ready: ".example" },
      { name: "segments", path: at("/segments"), ready: "Trial ending" },
      { name: "segment", path: at(`/segments/${segments.trial}`), ready: "plan" },
      { name: "events", path: at("/events?tab=names"), ready: "Page viewed" },
      { name: "attributes", path: at("/attributes"), ready: "plan" },
      { name: "connectors", path: at("/connectors"), ready: "Outgoing Webhooks" },
      { name: "connector", path: at(`/connectors/${webhooks}`), ready: "Outgoing Webhooks" },
      { name: "connector-settings", path: at(`/connectors/${webhooks}?tab=settings`), ready: "URL" },
      {
        name: "connector-deliveries",
        path: at(`/connectors/${webhooks}?tab=deliveries&view=sent`),
        ready: "user:update",
      },
      { name: "processor", path: at(`/connectors/${processor}?tab=processor`), ready: "Processor" },
      { name: "import", path: at("/import"), ready: "Import" },
      { name: "platforms", path: at("/platforms"), ready: "Shop" },
      { name: "settings", path: at("/settings?tab=health"), ready: "Question engine" },
      { name: "members", path: at("/settings?tab=members"), ready: "Invite" },
    ],
    async close() {
      for (const { process: app } of apps) app.kill();
      await sink.close();
    },
  };
}

type Api = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

async function announced(muster: MusterProcess, adminToken: string) {
  for (;;) {
    const line = /^\{"version".*\}$/m.exec(muster.output())?.[0];
    if (line === undefined) {
      await wait(50);
      continue;
    }
    const { connector } = JSON.parse(line) as { connector: Credentials };
    const headers = { authorization: `Bearer ${adminToken}` };
    const { id } = await callApi<{ id: string }>(muster.url, { method: "GET", path: "/org", headers });
    return { organization: id, connector };
  }
}

async function createSegments(api: Api): Promise<{ trial: string }> {
  const create = (name: string, query: object) =>
    api<{ id: string }>("POST", "/users_segments", { name, query, predicate: {} });
  const trial = await create("Trial ending", { term: { plan: "trial" } });
  await create("Power users", { range: { visits: { gte: 90 } } });
  await create("Paying in France", { bool: { must: [{ term: { country: "France" } }, { term: { plan: "pro" } }] } });
  return { trial: trial.id };
}

/** Gives a connector its credentials and waits until it reports that it can work. */
async function setUp(api: Api, id: string, credentials: object): Promise<void> {
  await api("PUT", `/${id}`, { private_settings: credentials });
  while ((await api<{ status: string }>("GET", `/${id}/status`)).status === "setupRequired") await wait(200);
}

async function startApp(name: string, url: string): Promise<{ address: string; process: ChildProcess }> {
  const port = await freePort();
  const app = spawn(process.execPath, [`connector-apps/${name}/dist/main.js`], {
    cwd: REPOSITORY,
    env: { ...process.env, PORT: String(port), ORGANIZATIONS: url },
    stdio: "ignore",
  });
  const address = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${address}/manifest.json`).catch(() => undefined))?.ok) await wait(100);
  return { address, process: app };
}

/** Records that are new, so that connectors are told of them. One of them is refused. */
async function sendSome(url: string, credentials: Credentials): Promise<void> {
  for (let n = 0; n < 60; n++) {
    await postBatch(url, credentials, [userEntry(credentials, `person-${n * 4 + 1}`, "traits", { visits: 100 + n })]);
  }
}

async function findUser(api: Api): Promise<string> {
  const { data } = await api<{ data: { id: string }[] }>("POST", "/search/user_reports", {
    query: { term: { external_id: "person-1" } },
    per_page: 1,
  });
  const [user] = data;
  if (!user) throw new Error("The demo user is not there.");
  return user.id;
}
