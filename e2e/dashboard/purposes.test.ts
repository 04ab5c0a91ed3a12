// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { type FormConnector, startFormConnector } from "./kit/form-connector.js";

interface Credentials {
  id: string;
  secret: string;
}

describe.runIf(hasBrowser)("purposes", () => {
  let dashboard: Dashboard;
  let mailer: Credentials;
  let app: FormConnector;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Acme");
    app = await startFormConnector(
      { name: "Mailer", version: "1.0.0", tags: ["smart-notifier"], subscriptions: [{ url: "/notified" }] },
      { "/notified": () => ({ flow_control: { type: "next" } }) },
    );
    mailer = await dashboard.api<Credentials>("POST", "/connectors/install", { url: app.url });
  });
  afterAll(async () => {
    await dashboard.close();
    await app.close();
  });

  test("a connector has no choice of purposes until the organization has some; then it is marked until it serves one", async () => {
    const page = await dashboard.open(`/connectors/${mailer.id}?tab=settings`);
    await page.getByRole("heading", { name: "Messages to the connector" }).waitFor();
    expect(await page.getByLabel("Purposes that it serves").count()).toBe(0);

    await page.goto(`${dashboard.url}/o/${dashboard.organization.id}/settings?tab=purposes`);
    await page.getByText("There are no purposes yet.").waitFor();
    await page.getByRole("textbox", { name: "Name" }).fill("Marketing!");
    await page.getByText("Use lower-case letters, digits, _ and - only.").waitFor();
    expect(await page.getByRole("button", { name: "Save purpose" }).isDisabled()).toBe(true);
    await page.getByRole("textbox", { name: "Name" }).fill("marketing");
    await page.getByRole("textbox", { name: "Description" }).fill("News by e-mail");
    await page.getByRole("button", { name: "Save purpose" }).click();
    await page.getByRole("heading", { name: "marketing" }).waitFor();
    await page.getByText("No connector serves it.").waitFor();
    await expectAccessible(page);

    await page.goto(`${dashboard.url}/o/${dashboard.organization.id}/connectors/${mailer.id}?tab=settings`);
    await page.getByText("It serves no purpose, so it is told about everybody").waitFor();
    await page
      .locator("input")
      .and(page.getByLabel("Purposes that it serves", { exact: true }))
      .click();
    await page.getByRole("option", { name: "marketing" }).click();
    await page.getByText("Purposes saved").waitFor();
    await page.getByText("It serves no purpose").waitFor({ state: "detached" });
    expect(await dashboard.api("GET", "/purposes")).toMatchObject([{ name: "marketing", connector_ids: [mailer.id] }]);
    await expectAccessible(page);
    await page.context().close();
  });

  test("a viewer sees the purposes and changes none", async () => {
    const page = await dashboard.open("/settings?tab=purposes", await dashboard.signInAs("viewer"));
    await page.getByText("Only owners may change purposes.").waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).isDisabled()).toBe(true);
    await page.context().close();
  });
});
