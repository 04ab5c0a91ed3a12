// @module-tag long
import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../testing/free-port.js";
import { guideBlock } from "../guides/kit/guide-block.js";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { type FormConnector, PIXEL, startFormConnector } from "./kit/form-connector.js";

interface ConnectorRecord {
  id: string;
  name: string;
  secret: string;
  enabled: boolean;
  settings: Record<string, unknown>;
  private_settings: Record<string, unknown>;
  status: { status: string };
}

describe.runIf(hasBrowser)("the connectors", () => {
  let dashboard: Dashboard;
  let page: Page;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Connected");
    page = await dashboard.open("/connectors", await dashboard.signIn());
  });
  afterAll(() => dashboard?.close());

  const connectors = () => dashboard.api<ConnectorRecord[]>("GET", "/connectors");
  const find = (id: string) => dashboard.api<ConnectorRecord>("GET", `/${id}`);
  const idInAddress = () => /\/connectors\/([0-9a-f]{24})/.exec(page.url())?.[1] ?? "";

  describe("of Muster itself", () => {
    test("an empty organization is led to the gallery, and a connector that does not run yet gets the command that starts it", async () => {
      await page.getByText("No connector is installed").waitFor();
      await page.getByRole("button", { name: "Open the gallery" }).click();
      await page.getByText("Come with Muster").waitFor();
      await expectAccessible(page);
      const port = await freePort();
      await page.getByLabel("Address of a connector or its manifest").fill(`http://127.0.0.1:${port}`);
      await page.getByRole("button", { name: "Look at it", exact: true }).click();
      await page.getByText("cannot be fetched").waitFor();
      const host = `${dashboard.organization.namespace}.localhost:${new URL(dashboard.url).port}`;
      await page.getByText(`ORGANIZATIONS=${host} npm start`).waitFor();
      await expectAccessible(page);

      const started = createServer((_request, response) => {
        response.end(JSON.stringify({ name: "Ours", version: "1.0.0", settings_sections: [] }));
      }).listen(port, "127.0.0.1");
      onTestFinished(() => void started.close());
      await page.getByRole("button", { name: "Check again" }).click();
      await page.getByRole("button", { name: "Install Ours" }).last().waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("cannot be fetched").waitFor({ state: "detached" });
    });

    test("somebody looks at it, installs it with one click and fills its form", async () => {
      await page.getByRole("button", { name: "Look at it: Outgoing Webhooks" }).click();
      await page.getByText("What it will be able to do").waitFor();
      await page.getByText(/It is sent users with their attributes/).waitFor();
      // The readme of the connector.
      await page.getByRole("heading", { name: "Outgoing Webhooks" }).last().waitFor();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await page.getByText("What it will be able to do").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Install Outgoing Webhooks" }).click();
      await page.getByText("Set the connector up first").waitFor();
      const id = idInAddress();

      // Only the credentials can be given at first.
      await page.getByText("Not available yet: the connector must accept its credentials first.").first().waitFor();
      expect(await page.getByRole("combobox", { name: "Send when" }).isDisabled()).toBe(true);
      await page.getByLabel("URL", { exact: true }).fill("https://hooks.example.com/in");
      await page.getByRole("button", { name: "Add row to Headers" }).click();
      await page.getByLabel("Headers, row 1: Name").fill("x-key");
      await page.getByLabel("Headers, row 1: Value").fill("k-1");
      await page.getByRole("button", { name: "Save settings" }).click();
      await page.getByText("Settings saved").waitFor();
      expect((await find(id)).private_settings).toMatchObject({
        url: "https://hooks.example.com/in",
        headers: [{ name: "x-key", value: "k-1" }],
        user_segments: ["ALL"],
      });

      // The connector is asked and says that it works; the form opens by itself.
      await page.getByText("Set the connector up first").waitFor({ state: "detached" });
      const template = page.getByLabel("Template", { exact: true });
      await template.fill('{"email": "{{user.email}}"}');
      await page.getByRole("button", { name: "Save settings" }).click();
      await vi.waitFor(async () => {
        expect((await find(id)).private_settings.template).toBe('{"email": "{{user.email}}"}');
      }, PATIENCE);
    });

    test("its own page is shown by the server, apart from the dashboard, and can call its connector", async () => {
      await page.goto(dashboard.address("/connectors?view=gallery"));
      await page.getByRole("button", { name: "Install Incoming Webhooks" }).click();
      await page.getByRole("tab", { name: "Webhooks", exact: true }).click();
      const inner = page.frameLocator("iframe[title='Webhooks']").frameLocator("iframe");
      await inner.getByLabel("Name of the service").fill("shop");
      await inner.getByRole("button", { name: "Show its address" }).click();
      const address = inner.getByLabel("Address");
      await expect
        .poll(() => address.inputValue(), PATIENCE)
        .toContain("/bundled/incoming-webhooks/webhooks/shop?token=");
      await inner.getByRole("button", { name: "Run" }).click();
      await inner.getByText("Webhook received").last().waitFor();
      const posted = await fetch(await address.inputValue(), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"email":"ada@example.com"}',
      });
      expect([posted.status, await posted.json()]).toEqual([200, { accepted: 2, refused: [] }]);
    });
  });

  test("a connector is switched off, with a way back", async () => {
    // It has no messages that wait: those would be asked about first.
    const { id } = await dashboard.api<{ id: string }>("POST", "/connectors", { name: "Plain" });
    await page.goto(dashboard.address(`/connectors/${id}`));
    await page.getByLabel("Plain is switched on").locator("..").click();
    await page.getByText("Switched off: its messages are dropped.").waitFor();
    await vi.waitFor(async () => expect((await find(id)).enabled).toBe(false), PATIENCE);
    await page.getByRole("button", { name: "Undo" }).click();
    await vi.waitFor(async () => expect((await find(id)).enabled).toBe(true), PATIENCE);
  });

  test("the calls that a connector makes to its service are on its screen, with what the service still allows", async () => {
    const { id } = await dashboard.api<{ id: string }>("POST", "/connectors", { name: "Caller" });
    await page.goto(dashboard.address(`/connectors/${id}`));
    await page.getByText("The connector has not reported a status yet.").or(page.getByText("Nothing waits.")).waitFor();
    expect(await page.getByText("Calls to its service").count()).toBe(0);
    await dashboard.api("POST", `/${id}/metrics`, {
      metrics: [
        { name: "ship.service_api.call", value: 1_234 },
        { name: "ship.service_api.remaining", value: 8_766 },
      ],
    });
    await page.getByText("1,234 calls in this hour.").waitFor();
    await page.getByText("8,766 at the last report.").waitFor();
    await page.getByRole("img", { name: "Calls of the connector to its service over time" }).waitFor();
    await expectAccessible(page);
  });

  describe("with pages of its own", () => {
    let app: FormConnector;
    let stranger: FormConnector;
    let id: string;
    beforeAll(async () => {
      stranger = await startFormConnector({}, { "/p.png": () => PIXEL });
      app = await startFormConnector(PAGED, {
        "/README.md": () => README(stranger.url),
        "/picture.png": () => PIXEL,
        "/docs/chart.png": () => PIXEL,
        "/badge.svg": () => "<svg xmlns='http://www.w3.org/2000/svg'></svg>",
        "/key": () => "<p>Give the key</p>",
        "/editor": () => EDITOR,
        "/preview": () => ({ message: "previewed" }),
        "/auth": ({ query }) => signInPage(query),
        "/provider": ({ query }) => `<p>Fake provider</p><a href="${query.get("back")}">Agree</a>`,
        "/auth/callback": async ({ query }) => {
          await dashboard.api("PUT", `/${query.get("ship")}`, { private_settings: { account: "acme" } });
          await dashboard.api("PUT", `/${query.get("ship")}/status`, { status: "ok", messages: [] });
          return "<p>Signed in. You can close this window.</p>";
        },
      });
      ({ id } = await dashboard.api<{ id: string }>("POST", "/connectors/install", { url: app.url }));
    });
    afterAll(async () => {
      await app?.close();
      await stranger?.close();
    });

    test("while it must be set up, it opens on its page for that, and its page for work waits", async () => {
      await page.goto(dashboard.address(`/connectors/${id}`));
      const inner = page.frameLocator("iframe[title='Key']").frameLocator("iframe");
      await inner.getByText("Give the key").waitFor();
      expect(await page.getByRole("tab").allTextContents()).toEqual([
        "Overview",
        "Editor",
        "Settings",
        "Key",
        "Write keys",
        "Logs",
        "Deliveries",
        "Readme",
      ]);
      expect(await page.getByRole("tab", { name: "Editor" }).isDisabled()).toBe(true);
      await page.getByRole("tab", { name: "Settings" }).click();
    });

    test("somebody signs in to another service in a window of its own, and the form opens", async () => {
      await page.getByText("Set the connector up first").waitFor();
      const opening = page.waitForEvent("popup");
      await page.getByRole("button", { name: "Sign in to Birds", exact: true }).click();
      const popup = await opening;
      await popup.getByRole("link", { name: "Go to Birds" }).click();
      await popup.getByText("Fake provider").waitFor();
      await popup.getByRole("link", { name: "Agree" }).click();
      await popup.getByText("You can close this window").waitFor();
      expect(await popup.evaluate("window.opener")).toBeNull();
      await popup.close();
      await page.getByText("Signed in.").waitFor();
      await page.getByText("Set the connector up first").waitFor({ state: "detached" });
    });

    test("its page works in a frame that cannot reach the dashboard, and is saved with the button", async () => {
      await page.getByRole("tab", { name: "Editor" }).click();
      const inner = page.frameLocator("iframe[title='Editor']").frameLocator("iframe");
      // It calls its own connector, and gets an answer.
      await inner.getByText("previewed").waitFor();
      expect(await inner.locator("#reach").textContent()).toBe("blocked");
      await inner.locator("textarea").fill("return 2;");
      await page.getByText("1 unsaved change").waitFor();
      await page.getByRole("button", { name: "Save settings" }).click();
      await vi.waitFor(async () => expect((await find(id)).private_settings.code).toBe("return 2;"), PATIENCE);
      await page.getByText("1 unsaved change").waitFor({ state: "detached" });
    });

    test("its readme has tables and images without HTML, and the browser calls no other host", async () => {
      const hosts = new Set<string>();
      page.on("request", (request) => hosts.add(new URL(request.url()).host));
      await page.getByRole("tab", { name: "Readme" }).click();
      await page.getByRole("heading", { name: "Paged" }).last().waitFor();
      await page.getByRole("columnheader", { name: "Plan" }).waitFor();
      await page.getByRole("cell", { name: "a | b" }).waitFor();
      const chart = page.getByRole("img", { name: "A chart" });
      expect(await chart.getAttribute("src")).toMatch(/^data:image\/png;base64,/);
      // An SVG leaves its description. The server has fetched the image on another host, and not this browser.
      await page.getByText("A badge").waitFor();
      await page.getByRole("img", { name: "On another host" }).waitFor();
      expect(stranger.calls).toHaveLength(1);
      expect(await page.getByRole("tabpanel").locator("img").count()).toBe(2);
      expect(await page.locator("main script").count()).toBe(0);
      expect([...hosts].filter((host) => host !== "" && host !== new URL(dashboard.url).host)).toEqual([]);
      await expectAccessible(page);
    });

    test("its picture is in the list, in the gallery and beside its title", async () => {
      await page.locator("main header img").waitFor();
      await page.goto(dashboard.address("/connectors"));
      await page.getByRole("listitem").filter({ hasText: "Paged" }).locator("img").waitFor();
      await page.getByRole("tab", { name: "Gallery" }).click();
      const seen = page.getByRole("region", { name: "Connectors that were seen before" });
      await seen.getByRole("listitem").filter({ hasText: "Paged" }).locator("img").waitFor();
      await page.goto(dashboard.address(`/connectors/${id}`));
    });

    test("its recurring calls are on the overview, with the next one and how the last one went", async () => {
      const calls = page.getByRole("table", { name: "Recurring calls" });
      await calls.getByRole("row", { name: /^\/sync every 5 minutes .*not yet$/ }).waitFor();
      // It was asked for its status after its settings had changed, and does not serve one.
      await calls
        .getByRole("row", { name: /^\/status \(for its status\) every 10 hours .*status 404, .* took / })
        .waitFor();
      await expectAccessible(page);
    });

    test("what happens to messages while it is switched off, and messages about users of an account, are chosen", async () => {
      await page.getByRole("tab", { name: "Settings" }).click();
      expect(await find(id)).toMatchObject({ when_disabled: "drop", notify_users_of_account: false });
      // Before the first note, which would move while the page is checked.
      await expectAccessible(page);
      await page.getByLabel("Hold messages").check();
      await vi.waitFor(async () => expect(await find(id)).toMatchObject({ when_disabled: "hold" }), PATIENCE);
      // The note about this change goes, so that the only way to undo is that of the next.
      await page.reload();
      await page.getByLabel("Send users also when only their account changes").locator("..").click();
      await vi.waitFor(async () => expect(await find(id)).toMatchObject({ notify_users_of_account: true }), PATIENCE);
      await page.getByRole("button", { name: "Undo" }).click();
      await vi.waitFor(async () => expect(await find(id)).toMatchObject({ notify_users_of_account: false }), PATIENCE);
    });

    test("it gets another name, which can be undone", async () => {
      await page.getByRole("button", { name: "More actions for Paged" }).click();
      await page.getByRole("menuitem", { name: "Rename" }).click();
      const dialog = page.getByRole("dialog", { name: "Rename Paged" });
      await dialog.getByLabel("Name").fill("Pages of Bern");
      await dialog.getByRole("button", { name: "Save name" }).click();
      await page.getByRole("heading", { level: 1, name: "Pages of Bern" }).waitFor();
      // The page shows the new name before the server has answered.
      await vi.waitFor(async () => expect((await find(id)).name).toBe("Pages of Bern"), PATIENCE);
      const note = page.getByRole("alert").filter({ hasText: "is now called Pages of Bern" });
      await note.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("heading", { level: 1, name: "Paged", exact: true }).waitFor();
    });

    test("its secret is replaced and shown once", async () => {
      const before = await find(id);
      await page.getByRole("button", { name: "More actions for Paged" }).click();
      await page.getByRole("menuitem", { name: "Replace secret" }).click();
      await page.getByRole("button", { name: "Replace secret" }).click();
      await page.getByText("This is the new secret").waitFor();
      const after = await find(id);
      expect(after.secret).not.toBe(before.secret);
      await page.getByText(after.secret).waitFor();
      await page.getByRole("button", { name: "Done" }).click();
    });

    test("it is uninstalled after its name was typed", async () => {
      await page.getByRole("button", { name: "More actions for Paged" }).click();
      await page.getByRole("menuitem", { name: "Uninstall" }).click();
      await page.getByText("Users, accounts and events that it has sent stay.").waitFor();
      const button = page.getByRole("button", { name: "Uninstall Paged" });
      expect(await button.isDisabled()).toBe(true);
      await page.getByLabel("Type Paged to confirm").fill("Paged");
      await button.click();
      await page.getByRole("tab", { name: "Installed" }).waitFor();
      await vi.waitFor(
        async () => expect((await connectors()).map(({ name }) => name)).not.toContain("Paged"),
        PATIENCE,
      );
    });
  });

  test("those with trouble come first in the list", async () => {
    const calm = await dashboard.api<{ id: string }>("POST", "/connectors", { name: "A calm one" });
    const broken = await dashboard.api<{ id: string }>("POST", "/connectors", { name: "Broken" });
    await dashboard.api("PUT", `/${broken.id}/status`, { status: "error", messages: ["The token has expired."] });
    await page.goto(dashboard.address("/connectors"));
    await page.getByText("It reports an error: The token has expired.").waitFor();
    const names = await page.getByRole("list", { name: "Installed connectors" }).getByRole("link").allTextContents();
    expect(names[0]).toBe("Broken");
    expect(names).toContain("A calm one");
    await expectAccessible(page);
    await page.getByRole("link", { name: "A calm one" }).click();
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByText("This connector has no settings").waitFor();
    expect(idInAddress()).toBe(calm.id);
  });
});

const PAGED = {
  name: "Paged",
  version: "1.0.0",
  readme: "README.md",
  picture: "picture.png",
  tabs: [
    { title: "Key", url: "/key", size: "small", setup: true },
    { title: "Editor", url: "/editor", size: "large", editable: true, workspace: true },
  ],
  private_settings: [
    { name: "account", title: "Account", type: "string", format: "oauth", url: "/auth", options: { name: "Birds" } },
    { name: "code", title: "Code", type: "string", format: "hidden", default: "return 1;" },
    { name: "note", title: "Note", type: "string" },
  ],
  json: [{ url: "/preview" }],
  schedules: [{ url: "/sync", type: "interval", value: 5 }],
  subscriptions: [{ url: "/notify", conditions: { channels: { only: ["account:update"] } } }],
  settings_sections: [
    { title: "Sign in", step: "credentials", properties: ["private_settings.account"] },
    { title: "More", properties: ["private_settings.note"] },
  ],
  status: { url: "/status", type: "interval", value: 600, initial_value: "setupRequired" },
};

const README = (stranger: string) => `# Paged

Has **pages**. <script>alert(1)</script>

| Plan | Means |
|---|---|
| pro | a \\| b |

![A chart](docs/chart.png) ![A badge](/badge.svg) ![On another host](${stranger}/p.png)
`;

function signInPage(query: URLSearchParams): string {
  const back = `/auth/callback?ship=${query.get("ship")}`;
  return `<a href="/provider?back=${encodeURIComponent(back)}">Go to Birds</a>`;
}

/** A page that calls its connector, tries to reach the dashboard, and tells the dashboard what to save. */
const EDITOR = `<!doctype html>
<p id="preview"></p><p id="reach"></p>
<textarea aria-label="Code">return 1;</textarea>
<script>
fetch("/preview", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })
  .then((answer) => answer.json())
  .then(({ message }) => { document.querySelector("#preview").textContent = message; });
try {
  document.querySelector("#reach").textContent = "reached " + parent.document.title + top.document.title;
} catch {
  document.querySelector("#reach").textContent = "blocked";
}
document.querySelector("textarea").addEventListener("input", ({ target: { value: code } }) => {
  ${guideBlock("docs/manifest.md", "editable-page")}
});
</script>`;
