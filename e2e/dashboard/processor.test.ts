// @module-tag long
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../testing/free-port.js";
import type { Credentials } from "../support/credentials.js";
import { userEntry } from "../support/entries.js";
import { REPOSITORY } from "../support/muster-process.js";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser, violationsIn } from "./kit/dashboard.js";
import { firstLoadBytes, MAX_FIRST_LOAD_BYTES } from "./kit/first-load.js";
import { sendEntries } from "./kit/send-entries.js";

describe.runIf(hasBrowser)("the processor editor", () => {
  let dashboard: Dashboard;
  let app: ChildProcess;
  let connector: Credentials;
  let output = "";

  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Processor");
    const { port: serverPort } = new URL(dashboard.url);
    const port = await freePort();
    app = spawn(process.execPath, ["apps/server/bundle/connector-program.js", "processor"], {
      cwd: REPOSITORY,
      env: {
        ...process.env,
        PORT: String(port),
        HOST_SECRET: "of the test",
        ORGANIZATIONS: `*.localhost:${serverPort},127.0.0.1:${serverPort}`,
      },
    });
    for (const stream of [app.stdout, app.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(() => fetch(`${url}/manifest.json`), PATIENCE);
    connector = await dashboard.api<Credentials>("POST", "/connectors/install", { url });
    await set("ada", { plan: "pro", seats: 3 });
    await set("bo", { plan: "free" });
    await vi.waitFor(async () => expect(await usersWith("plan")).toHaveLength(2), PATIENCE);
  });
  afterAll(async () => {
    await dashboard?.close();
    if (app?.kill()) await once(app, "exit");
  });

  async function set(externalId: string, attributes: Record<string, unknown>): Promise<void> {
    await sendEntries(dashboard, connector, [userEntry(connector, externalId, "traits", attributes)]);
  }

  async function usersWith(attribute: string): Promise<Record<string, unknown>[]> {
    const query = { exists: { field: attribute } };
    const { data } = await dashboard.api<{ data: Record<string, unknown>[] }>("POST", "/search/user_reports", {
      query,
    });
    return data;
  }

  async function type(page: Page, code: string): Promise<void> {
    await page.getByRole("textbox", { name: "Script for users" }).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(code);
  }

  test("shows what the code would do for a real user as it is typed, saves it, and it processes a record", async () => {
    const context = await dashboard.signIn();
    onTestFinished(() => context.close());
    const violations = await violationsIn(context);
    const page = await dashboard.open(`/connectors/${connector.id}?tab=processor`, context);
    await page.getByRole("combobox", { name: "Run for this user" }).fill("ada");
    await page.getByRole("option", { name: "ada" }).click();
    await page.getByText('"traits_plan": "pro"').waitFor();
    expect(await page.getByRole("tab", { name: "Editor" }).count()).toBe(1);

    await type(
      page,
      'traits({ plan: "team", score: user.traits_seats * 2 });\ntrack("Scored");\nconsole.log("seen", user.external_id);',
    );
    const preview = page.getByRole("region", { name: "Preview" });
    const changes = preview.getByRole("table", { name: "Attributes that would change" });
    await expect
      .poll(() => changes.getByRole("row").allTextContents(), PATIENCE)
      .toEqual(["AttributeNowThen", 'plan"pro""team"', "scorenot set6"]);
    await preview.getByText('Record the event "Scored"').waitFor();
    await preview.getByText("seen ada").waitFor();
    expect(await usersWith("score"), output).toEqual([]);

    await type(page, "const a = 1;\nuser.company.name;");
    await preview.getByText(/^Line 2: TypeError/).waitFor();
    await expectAccessible(page);
    // The full editor styles its text, its gutters, the marks of problems and their notes.
    await page.locator(".cm-lint-marker-error").hover();
    await page.locator(".cm-tooltip-lint").waitFor();
    expect(await page.locator(".cm-editor .cm-line").first().locator("span").count()).toBeGreaterThan(0);
    expect(violations).toEqual([]);

    const code = "if (user.traits_seats) traits({ score: user.traits_seats * 2 });";
    await type(page, code);
    await preview.getByText("score").waitFor();
    await page.reload();
    await page.getByText("Not saved").waitFor();
    await page.getByRole("button", { name: "Save code" }).click();
    await page.getByText("Code saved").waitFor();
    await page.getByText("Saved", { exact: true }).waitFor();
    const stored = await dashboard.api<{ private_settings: Record<string, unknown> }>("GET", `/${connector.id}`);
    expect(stored.private_settings.user_code).toBe(code);

    await set("ada", { seats: 5 });
    await vi.waitFor(async () => {
      expect(await usersWith("score"), output).toEqual([expect.objectContaining({ traits_score: 10 })]);
    }, PATIENCE);

    for (const tab of ["processor", "settings"]) {
      const address = dashboard.address(`/connectors/${connector.id}?tab=${tab}`);
      expect(await firstLoadBytes(context, address), tab).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
    }
    expect(violations).toEqual([]);
  });

  test("sums up what the code would do for many users", async () => {
    const page = await dashboard.open(`/connectors/${connector.id}?tab=processor`);
    await page.getByRole("textbox", { name: "Script for users" }).waitFor();
    await type(page, 'if (user.external_id === "bo") user.company.name;\ntraits({ tried: true });');
    await page.getByRole("button", { name: "Try on 50 users" }).click();
    const result = page.getByRole("region", { name: "Result for many" });
    await result.getByText("1 of 2 users would change, 1 fail.").waitFor();
    await result.getByText(/^Line 1: TypeError/).waitFor();
    await result.getByRole("button", { name: "ada" }).click();
    await page.getByRole("region", { name: "Preview" }).getByText("tried").waitFor();
    expect(await usersWith("tried")).toEqual([]);
  });
});
