// @module-tag long
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dashboard, expectAccessible, hasBrowser, PASSWORD } from "./kit/dashboard.js";

describe.runIf(hasBrowser)("people who sign in", () => {
  let dashboard: Dashboard;
  let other: Dashboard;
  let owner: BrowserContext;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("People & Co");
    other = await Dashboard.onNew("Somebody else");
    owner = await dashboard.signInAs("owner");
  });
  afterAll(async () => {
    await dashboard.close();
    await other.close();
  });

  /** Calls the API in a page, with its cookie and the token that its session has. */
  const callFrom = (page: Page, method: string, path: string, organization = dashboard.organization.id) =>
    page.evaluate(
      async ([method, path, organization]) => {
        const session = (await (await fetch("/api/v1/session")).json()) as { csrf_token: string };
        const headers = {
          "content-type": "application/json",
          "x-csrf-token": session.csrf_token,
          "svc-organization": organization,
        };
        const body = method === "GET" ? {} : { body: "{}" };
        return (await fetch(`/api/v1${path}`, { method, headers, ...body })).status;
      },
      [method, path, organization] as [string, string, string],
    );

  const settings = (tab: string, context: BrowserContext) => dashboard.open(`/settings?tab=${tab}`, context);

  test("a link signs in after a click, once, and leads back to where the person wanted to go", async () => {
    const context = await dashboard.signedOut();
    const page = await context.newPage();
    await page.goto(dashboard.address("/segments"));
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(new URL(page.url()).searchParams.get("to")).toBe(`/o/${dashboard.organization.id}/segments`);
    await expectAccessible(page);

    const token = await dashboard.signInToken();
    await page.goto(`${dashboard.url}/sign-in/link/${token}`);
    await page.getByRole("button", { name: "Sign in as Operator" }).click();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    expect((await context.cookies())[0]).toMatchObject({ httpOnly: true, sameSite: "Strict", name: "muster_session" });

    const second = await (await dashboard.signedOut()).newPage();
    await second.goto(`${dashboard.url}/sign-in/link/${token}`);
    await second.getByText("This link was used already, or its time is over.").waitFor();
    await expectAccessible(second);
  });

  test("an owner invites a viewer, who accepts and changes nothing, also not by the API", async () => {
    const members = await settings("members", owner);
    await members.getByLabel("E-mail").fill("vera@example.com");
    await members.getByRole("button", { name: "Invite" }).click();
    const url = await members.getByLabel("Link of the invitation").innerText();
    await members.getByRole("table", { name: "Invitations" }).getByText("vera@example.com").waitFor();
    await expectAccessible(members);

    const context = await dashboard.signedOut();
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole("heading", { name: "Join People & Co" }).waitFor();
    await page.getByLabel("Your name").fill("Vera");
    await page.getByLabel("Choose a password").fill(PASSWORD);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Accept invitation" }).click();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();

    const seen = await settings("members", context);
    const row = seen.getByRole("row", { name: /Vera/ });
    await row.waitFor();
    expect(await row.innerText()).toContain("viewer");
    await seen.getByText("Only owners invite people and change roles.").waitFor();
    expect(await seen.getByRole("button", { name: /Remove|Invite/ }).count()).toBe(0);
    expect(await seen.getByRole("combobox").count()).toBe(0);
    for (const [method, path] of [
      ["POST", "/users_segments"],
      ["POST", "/connectors"],
      ["POST", "/import/users"],
      ["POST", "/invitations"],
      ["PUT", "/org"],
    ] as const) {
      expect([path, await callFrom(seen, method, path)]).toEqual([path, 403]);
    }

    // Another organization is as if it were not there.
    expect(await callFrom(seen, "GET", "/org")).toBe(200);
    expect(await callFrom(seen, "GET", "/org", other.organization.id)).toBe(404);
    await seen.getByRole("button", { name: "Organization People & Co" }).click();
    await seen.getByRole("menuitem", { name: "People & Co" }).waitFor();
    expect(await seen.getByRole("menuitem", { name: "Somebody else" }).count()).toBe(0);
    await seen.goto(`${dashboard.url}/o/${other.organization.id}/settings?tab=members`);
    await seen.getByText("There is no such organization").first().waitFor();
  });

  test("a new role counts at once, and the audit log tells it", async () => {
    const page = await settings("members", owner);
    await page.getByRole("combobox", { name: "Role of Vera" }).click();
    await page.getByRole("option", { name: /editor/ }).click();
    await page.getByText("Vera is now editor.").waitFor();

    const log = await settings("audit", owner);
    const row = log.getByRole("row", { name: /Changed the role of Vera/ });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/The owner <owner-\w+@example.com>/);
    expect(await row.locator("del").innerText()).toBe("viewer");
    expect(await row.locator("ins").innerText()).toBe("editor");
    await expectAccessible(log);
    await log.getByLabel("Id of an object").fill("nothing");
    await log.getByText("Nothing fits the filter.").waitFor();
    expect(new URL(log.url()).searchParams.get("object")).toBe("nothing");
  });

  test("a removed member is out at once", async () => {
    const context = await dashboard.signInAs("editor");
    const away = await settings("account", context);
    await away.getByLabel("Name").fill("Leaving");
    await away.getByRole("button", { name: "Save", exact: true }).click();
    await away.getByText("Your name and address are saved.").waitFor();
    const page = await settings("members", owner);
    await page.getByRole("button", { name: "Remove Leaving" }).click();
    await page.getByText("loses access to People & Co at once").waitFor();
    await page.getByRole("button", { name: "Remove member" }).click();
    await page.getByRole("row", { name: /Leaving/ }).waitFor({ state: "detached" });
    await away.reload();
    await away.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });

  test("signing out everywhere ends the session in another browser too", async () => {
    const email = `twice-${Date.now()}@example.com`;
    const windows = [await dashboard.signedOut(), await dashboard.signedOut()] as const;
    for (const context of windows) {
      const page = await context.newPage();
      await page.goto(`${dashboard.url}/sign-in/link/${await dashboard.signInToken({ email, as_owner: true })}`);
      await page.getByRole("button", { name: /Sign in as/ }).click();
      await page.getByRole("navigation", { name: "Screens" }).waitFor();
    }
    const page = await settings("account", windows[0]);
    await page.getByRole("table", { name: "Sessions" }).getByText("this one").waitFor();
    expect(await page.getByRole("row", { name: /Chrome on Linux/ }).count()).toBe(2);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByText("2 sessions will end at once").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    const elsewhere = await windows[1].newPage();
    await elsewhere.goto(dashboard.url);
    await elsewhere.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });

  test("a password signs in, a wrong one says so", async () => {
    const page = await (await dashboard.signedOut()).newPage();
    await page.goto(`${dashboard.url}/sign-in`);
    await page.getByLabel("E-mail").fill("vera@example.com");
    await page.getByRole("textbox", { name: "Password" }).fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The e-mail address or the password is not right.").waitFor();
    await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
  });
});
