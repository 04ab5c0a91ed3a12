// @module-tag long
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, hasBrowser } from "./kit/dashboard.js";
import { Sender } from "./kit/sender.js";

describe.runIf(hasBrowser)("a viewer", () => {
  let dashboard: Dashboard;
  let owner: BrowserContext;
  let viewer: BrowserContext;
  let ids: { user: string; segment: string; connector: string };
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Lookers");
    owner = await dashboard.signInAs("owner");
    viewer = await dashboard.signInAs("viewer");
    const sender = await Sender.connect(dashboard);
    await sender.send(sender.entry("traits", "ann", { plan: "pro" }));
    const segment = await dashboard.api<{ id: string }>("POST", "/users_segments", {
      name: "Professionals",
      query: { term: { plan: "pro" } },
      predicate: {},
    });
    const connector = await dashboard.api<{ id: string }>("POST", "/connectors", { name: "Mailer" });
    const query = { term: { external_id: "ann" } };
    const user = await vi.waitFor(async () => {
      const found = await dashboard.api<{ data: { id: string }[] }>("POST", "/search/user_reports", { query });
      return found.data[0]?.id ?? expect.fail("The user is not there yet.");
    }, PATIENCE);
    ids = { user, segment: segment.id, connector: connector.id };
  });
  afterAll(() => dashboard.close());

  test("sees every screen, with the buttons that change something out of use", async () => {
    const screens: [path: string, ...controls: [role: "button" | "switch", name: string][]][] = [
      ["/segments", ["button", "New segment"]],
      ["/platforms", ["button", "Create platform"]],
      ["/import", ["button", "Choose a file"]],
      ["/import?tab=export", ["button", "Write the file"]],
      [`/connectors/${ids.connector}`, ["switch", "Mailer is switched on"]],
      ["/connectors", ["button", "Add a source"]],
      [`/connectors/${ids.connector}?tab=keys`, ["button", "Create page key"], ["button", "Create server key"]],
      [`/users/${ids.user}`, ["button", "Send to a connector"], ["button", "Erase"]],
    ];
    const pages = await Promise.all([viewer.newPage(), owner.newPage()]);
    for (const [path, ...controls] of screens) {
      await Promise.all(pages.map((page) => page.goto(dashboard.address(path))));
      for (const [role, name] of controls) {
        const [seen, own] = pages.map((page) => page.getByRole(role, { name, exact: true }).first());
        await Promise.all([seen?.waitFor(), own?.waitFor()]);
        expect([path, name, await seen?.isDisabled(), await own?.isDisabled()]).toEqual([path, name, true, false]);
      }
    }
  });

  test("sees that there is a server key, and not its text", async () => {
    const [page, own] = await Promise.all(
      [viewer, owner].map((context) => dashboard.open(`/connectors/${ids.connector}?tab=keys`, context)),
    );
    await Promise.all([
      page?.getByText("Only owners see server keys.").waitFor(),
      own?.getByText("wks_").first().waitFor(),
    ]);
    expect(await page?.content()).not.toContain("wks_");
  });

  test("is refused by the API whatever the page would allow", async () => {
    const page = await dashboard.open("", viewer);
    const calls: [method: string, path: string, body?: object][] = [
      ["PUT", `/${ids.segment}`, { name: "Mine" }],
      ["DELETE", `/${ids.segment}`],
      ["PUT", `/${ids.connector}`, { enabled: false }],
      ["DELETE", `/${ids.connector}`],
      ["POST", `/${ids.user}/send`, { connector_id: ids.connector }],
      ["DELETE", `/${ids.user}`],
      ["POST", `/${ids.connector}/write_keys`, { kind: "server", name: "Mine" }],
      ["POST", "/connectors/install", { url: "http://127.0.0.1:1" }],
      ["POST", "/extract/user_reports", { query: { match_all: {} }, format: "csv", fields: ["id"] }],
    ];
    const answers = await page.evaluate(
      async ({ calls, organization }) => {
        const session = (await (await fetch("/api/v1/session")).json()) as { csrf_token: string };
        const headers = {
          "content-type": "application/json",
          "x-csrf-token": session.csrf_token,
          "svc-organization": organization,
        };
        const answered: [string, number][] = [];
        for (const [method, path, body = {}] of calls) {
          const answer = await fetch(`/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
          answered.push([`${method} ${path}`, answer.status]);
        }
        return answered;
      },
      { calls, organization: dashboard.organization.id },
    );
    expect(answers).toEqual(calls.map(([method, path]) => [`${method} ${path}`, 403]));
    const still = await dashboard.api<{ name: string }>("GET", `/${ids.segment}`);
    expect(still.name).toBe("Professionals");
  });
});
