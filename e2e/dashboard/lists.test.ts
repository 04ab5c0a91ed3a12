// @module-tag long
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startWebServer, type WebServer } from "../../testing/start-web-server.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { hold } from "./kit/hold-calls.js";
import { runJob } from "./kit/jobs.js";
import { personOf } from "./kit/people.js";

const PRO = {
  type: "all",
  predicates: [{ property: { key: "traits_plan", type: "string" }, operator: "equals", options: { value: ["pro"] } }],
};

function table(page: Page) {
  return page.getByRole("table", { name: "Users" });
}

async function names(page: Page): Promise<string[]> {
  return table(page).getByRole("row").getByRole("link").allInnerTexts();
}

describe.runIf(hasBrowser)("the list of many users", () => {
  let dashboard: Dashboard;
  const users = () => inject("sharedServer").users;
  beforeAll(async () => {
    dashboard = await Dashboard.onDemo();
  });
  afterAll(() => dashboard?.close());

  test("finds people while somebody types, by words and by e-mail address", async () => {
    const page = await dashboard.open("/users");
    await page.getByText(`${users().toLocaleString("en")} users`).waitFor();
    await expectAccessible(page);
    const box = page.getByRole("searchbox", { name: "Search users" });
    await box.pressSequentially("zoe mori");
    const expected = Array.from({ length: users() }, (_, n) => personOf(n)).filter(({ name }) => name === "Zoe Mori");
    await page.getByText(`${expected.length.toLocaleString("en")} users`).waitFor();
    expect(new Set(await names(page))).toEqual(new Set(["Zoe Mori"]));
    expect(page.url()).toContain("q=zoe");
    await box.fill(personOf(42).email);
    await page.getByText("1 user", { exact: true }).waitFor();
    await table(page).getByText(personOf(42).email).waitFor();
    await box.fill("nobody has this");
    await page.getByText("No user matches").waitFor();
  });

  test("shows the filter, the columns and the order of its address, and the count is exact", async () => {
    const parameters = new URLSearchParams({
      filter: JSON.stringify(PRO),
      columns: "name,traits_plan,traits_mrr:90",
      sort: "-traits_mrr",
    });
    const page = await dashboard.open(`/users?${parameters}`);
    const count = Array.from({ length: users() }, (_, n) => personOf(n)).filter(({ plan }) => plan === "pro").length;
    await page.getByText(`${count.toLocaleString("en")} users`).waitFor();
    const cells = await table(page).getByRole("row").nth(1).getByRole("cell").allInnerTexts();
    expect(cells.slice(2)).toEqual(["pro", "998"]);
    await page.getByRole("button", { name: /Remove the filter/ }).click();
    await page.getByText(`${users().toLocaleString("en")} users`).waitFor();
  });

  test("is used with the keyboard: j moves, x selects, Enter opens", async () => {
    const page = await dashboard.open("/users?q=anna");
    await table(page).getByRole("row").nth(2).waitFor();
    await table(page).focus();
    for (const key of ["j", "j", "x"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "1 user selected" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/users\/[0-9a-f]{24}$/);
  });
});

describe.runIf(hasBrowser)("the list of some users", () => {
  let dashboard: Dashboard;
  let web: WebServer;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Lists");
    const file = Array.from({ length: 30 }, (_, n) => JSON.stringify(personOf(n))).join("\n");
    web = await startWebServer((_request, response) => response.end(file));
    await runJob(dashboard, "/import/users", { url: `${web.url}/people.json`, format: "json" });
  });
  afterAll(async () => {
    await web?.close();
    await dashboard?.close();
  });

  test("is saved as a view, which an address shows again with its words, columns and order", async () => {
    const page = await dashboard.open("/users?q=an&columns=name,traits_plan&sort=name");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save as a new view…" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("People with An");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("button", { name: "People with An", exact: true }).waitFor();
    expect(page.url()).toMatch(/view=\d+/);
    await page.getByRole("searchbox").fill("anna");
    await page.getByRole("button", { name: "People with An (changed)" }).waitFor();

    const other = await dashboard.open("/users");
    await other.getByRole("button", { name: "Views" }).click();
    await other.getByRole("menuitem", { name: "People with An" }).click();
    await other.getByRole("columnheader", { name: "plan" }).waitFor();
    expect(await other.getByRole("searchbox").inputValue()).toBe("an");
  });

  test("shows other columns when somebody chooses them", async () => {
    const page = await dashboard.open("/users");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "country", exact: true }).click();
    await page.getByRole("checkbox", { name: "External ID", exact: true }).click();
    await page.getByRole("columnheader", { name: "country" }).waitFor();
    expect(await page.getByRole("columnheader", { name: "External ID" }).count()).toBe(0);
    expect(decodeURIComponent(page.url())).toContain("traits_country");
  });

  test("is exported as it is filtered, and the file has exactly these people and columns", async () => {
    const parameters = new URLSearchParams({ filter: JSON.stringify(PRO), columns: "email,traits_plan" });
    const page = await dashboard.open(`/users?${parameters}`);
    const pro = Array.from({ length: 30 }, (_, n) => personOf(n)).filter(({ plan }) => plan === "pro");
    await page.getByText(`${pro.length} users`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: `Export ${pro.length} users…` }).click();
    await expectAccessible(page);
    const begin = await hold(page, "**/api/v1/extract/users");
    await page.getByRole("button", { name: `Export ${pro.length} users` }).click();
    // The file is asked for already: the button does not say that it cancels it.
    await page.getByRole("dialog").getByText("Close", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
    begin();
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download the file" }).click();
    const text = await readFile(await (await downloading).path(), "utf8");
    const [header, ...lines] = text.trim().split(/\r?\n/);
    expect(header?.replaceAll('"', "")).toBe("email,traits_plan");
    expect(lines.map((line) => line.replaceAll('"', "")).sort()).toEqual(pro.map(({ email }) => `${email},pro`).sort());
  });

  test("is saved as a segment", async () => {
    const page = await dashboard.open(`/users?${new URLSearchParams({ filter: JSON.stringify(PRO) })}`);
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Save as segment…" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Pro people");
    await page.getByRole("button", { name: "Save segment" }).click();
    await page.waitForURL(/\/segments\/[0-9a-f]{24}/);
    const [segment] = await dashboard.api<{ name: string; predicate: object }[]>("GET", "/users_segments");
    expect(segment).toMatchObject({ name: "Pro people", predicate: PRO });
  });

  test("accounts have a list too, which says what to do when there are none", async () => {
    const page = await dashboard.open("/accounts");
    await page.getByText("There are no accounts yet").waitFor();
    await expectAccessible(page);
  });
});
